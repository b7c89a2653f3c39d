#!/bin/bash
# check_thread_safety.sh CLANG SOURCE_DIR: -Wthread-safety accepts a guarded read under its lock, and refuses one without.
set -uo pipefail
clang=$1
root=$2
[ -x "$clang" ] || { echo "no clang++: $clang"; exit 1; }
compile() {
  "$clang" -std=c++20 -Wall -Wextra -Wthread-safety -Werror -fsyntax-only -I"$root" "$@" \
    "$root/tests/unit/guards/thread_safety_example.cpp" 2>&1
}
if ! output=$(compile); then
  printf 'with the lock taken it must compile:\n%s\n' "$output"
  exit 1
fi
if output=$(compile -DVIOLATE); then
  echo "it compiles without the lock: the analysis does not bite"
  exit 1
fi
if ! grep -q "error: reading variable 'count_' requires holding mutex 'mutex_' \[-Werror,-Wthread-safety-analysis\]" <<<"$output"; then
  printf 'refused, but not for the missing lock:\n%s\n' "$output"
  exit 1
fi
[ "$(grep -c 'error:' <<<"$output")" -eq 1 ] || { printf 'more than the one error:\n%s\n' "$output"; exit 1; }
echo "$output"
