#!/bin/bash
# check_headers_alone.sh SOURCE_DIR COMPILER...: each public header compiles on its own, with nothing but include/.
set -uo pipefail
root=$1
shift
failures=0
count=0
while read -r header; do
  for compiler in "$@"; do
    count=$((count + 1))
    if ! output=$(printf '#include <%s>\n#include <%s>\n' "$header" "$header" |
      "$compiler" -std=c++20 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast -Werror \
        -fsyntax-only -I"$root/include" -x c++ - 2>&1); then
      printf '%s with %s:\n%s\n' "$header" "$compiler" "$output"
      failures=1
    fi
  done
done < <(cd "$root/include" && find . -name '*.hpp' | sed 's,^\./,,' | sort)
[ $count -gt 0 ] || { echo "no headers in $root/include"; exit 1; }
echo "$count compilations"
exit $failures
