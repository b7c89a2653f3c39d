#!/bin/bash
# check_faults_bites.sh FAULTS CATALOGUE BUILD_DIR: the check of the fault catalogue, run on pages with one mistake each, must
# fail and say which.
set -uo pipefail
shopt -s lastpipe  # so that expect() runs in this shell, and its verdict is kept
faults=$1 catalogue=$2 build=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# expect WHAT [check|results JUNIT]: the catalogue on standard input is refused, and the text is among the reasons.
expect() {
  local what=$1 output
  shift
  cat >"$scratch/faults.md"
  if output=$("$faults" "${1:-check}" "$build" "${@:2}" --page "$scratch/faults.md") || ! grep -qF -- "$what" <<<"$output"; then
    printf 'not reported: %s\n%s\n' "$what" "$output"
    failed=1
  fi
}

row_behind_f51() { sed "/^| F51 /a $1" "$catalogue"; }
waiting() { sed "/^| F68-F72 | /a $1" "$catalogue"; }

row_behind_f51 '| F998 S R | of other libraries | derived | nothing |' | expect 'F998 S has no test'
row_behind_f51 '| F998 S R | of other libraries | derived | nothing |' | expect 'F998 R has no test'
row_behind_f51 '| F46 S | the same again | derived | nothing |' | expect 'F46 stands twice'
sed '/^| F46 S /d' "$catalogue" | expect 'F46 is no row'
waiting '| F46 | something that is there already |' | expect 'F46 waits, but has a test'
waiting '| F46 | too hard |' | expect 'F46 must be tested: it may not wait'
waiting '| F68 | |' | expect 'F68 waits without a reason'
waiting '| F45-F47 | a better day |' | expect 'F45 may wait on its own'
waiting '| F999 | a row |' | expect 'F999 waits, and is no row'

echo '<testsuite/>' >"$scratch/nothing.xml"
expect 'not run: simulated_order.f46_' results "$scratch/nothing.xml" <"$catalogue"
name=$(ctest --test-dir "$build" -N -R simulated_order.f46_ | grep -o 'simulated_order.f46_[a-z_]*' | head -n 1)
printf '<testsuite><testcase name="%s" status="fail"><failure/></testcase></testsuite>\n' "$name" >"$scratch/failed.xml"
expect "failed: $name" results "$scratch/failed.xml" <"$catalogue"
exit $failed
