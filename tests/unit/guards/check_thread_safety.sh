#!/bin/bash
# check_thread_safety.sh CLANG SOURCE_DIR EXAMPLE ERROR...: -Wthread-safety accepts the example, and with VIOLATE refuses it
# with these errors and no other.
set -uo pipefail
clang=$1 root=$2 example=$3
shift 3
[ -x "$clang" ] || { echo "no clang++: $clang"; exit 1; }
compile() {
  "$clang" -std=c++20 -Wall -Wextra -Wthread-safety -Werror -fsyntax-only -I"$root" -I"$root/include" "$@" \
    "$root/tests/unit/guards/$example" 2>&1
}
if ! output=$(compile); then
  printf 'with the lock taken it must compile:\n%s\n' "$output"
  exit 1
fi
if output=$(compile -DVIOLATE); then
  echo "it compiles without the lock: the analysis does not bite"
  exit 1
fi
for wanted; do
  grep -qF "error: $wanted [-Werror,-Wthread-safety-analysis]" <<<"$output" ||
    { printf 'refused, but not for this: %s\n%s\n' "$wanted" "$output"; exit 1; }
done
[ "$(grep -c 'error:' <<<"$output")" -eq $# ] || { printf 'other errors than these %d:\n%s\n' $# "$output"; exit 1; }
echo "$output"
