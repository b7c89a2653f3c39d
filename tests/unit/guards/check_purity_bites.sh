#!/bin/bash
# check_purity_bites.sh NM OBJECT: the check of purity, run on impure_example.cpp's object, must name every offence in it.
set -uo pipefail
here=$(dirname "$0")
output=$("$here/check_purity.sh" "$@")
status=$?
echo "$output"
[ $status -eq 1 ] || { echo "expected exit status 1, got $status"; exit 1; }
missing=0
for offence in 'std::chrono::_V2::steady_clock::now' '(time)' 'std::thread::' '(pthread_mutex_lock)' \
  'std::condition_variable::' 'std::basic_ifstream|std::basic_filebuf|std::ios_base' '(fopen)' '(socket)' 'std::random_device' \
  '(getrandom)' 'std::cout'; do
  IFS='|' read -ra any <<<"$offence"
  hit=0
  for text in "${any[@]}"; do
    if grep -qF -- "$text" <<<"$output"; then hit=1; fi
  done
  [ $hit -eq 1 ] || { echo "not reported: $offence"; missing=1; }
done
exit $missing
