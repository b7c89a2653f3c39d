#!/bin/bash
# check_includes.sh SOURCE_DIR: includes point one way (cli -> src -> include, and src -> recipes), and what a header shall not
# drag into its user's program stands in the few files that need it.
set -uo pipefail
shopt -s lastpipe  # so that fail_with() runs in this shell, and its verdict is kept
cd "$1" || exit 2
failures=0

# fail_with WHY: fails with the include lines on standard input, if there are any.
fail_with() {
  local lines
  lines=$(cat)
  if [ -n "$lines" ]; then
    printf '%s:\n%s\n' "$1" "$lines"
    failures=1
  fi
}

# includes [FILE...]: their include lines as file:line:<header> or file:line:"header".
includes() { [ $# -eq 0 ] || grep -nHE '^[[:space:]]*#[[:space:]]*include' "$@" | sed -E 's/^([^:]+:[0-9]+:)[[:space:]]*#[[:space:]]*include[[:space:]]*/\1/'; }
list() { find "$@" \( -name '*.hpp' -o -name '*.cpp' \) | sort; }

mapfile -t recipes < <(list recipes)
mapfile -t core < <(find src/engine src/operations -name '*.[ch]pp' 2>/dev/null | sort)
mapfile -t public < <(list include)
mapfile -t shipped < <(list recipes include src)
[ ${#recipes[@]} -gt 0 ] && [ ${#public[@]} -gt 0 ] || { echo "nothing to look at in $PWD"; exit 2; }

includes "${recipes[@]}" | grep -vE ':("recipes/[a-z_]+\.hpp"|<[a-z_]+>|<boost/(container|intrusive)/[a-z_]+\.hpp>)' |
  fail_with 'recipes/ includes itself, the standard library and containers alone'
includes "${recipes[@]}" |
  grep -E ':<(thread|mutex|shared_mutex|condition_variable|future|stop_token|semaphore|latch|barrier|atomic|random|ctime|cstdio|filesystem|[a-z]*stream|syncstream)>' |
  fail_with 'recipes/ has no thread, clock, chance or file'

includes "${core[@]}" |
  grep -E ':(<(thread|mutex|shared_mutex|condition_variable|future|stop_token|semaphore|latch|barrier|random|ctime|cstdio|filesystem|[a-z]*stream|syncstream|zklock/clock\.hpp)>|"src/(threads|log|zookeeper|api|testing)/)' |
  fail_with 'the engine and the operations have no thread, mutex, clock, chance or file'

includes "${public[@]}" | grep -vE ':(<zklock/[a-z_/]+\.hpp>|<[a-z_]+>)' |
  grep -vE "^include/zklock/asio\\.hpp:[0-9]*:?<((asio|boost/asio)/[a-z_/]+|boost/version)\\.hpp>\$" |
  fail_with 'public headers include public headers and the standard library alone'

includes "${shipped[@]}" | grep -E 'zookeeper\.h|<zookeeper/' | grep -vE '^src/zookeeper/[a-z_]+\.cpp:' |
  fail_with 'zookeeper.h is for the sources in src/zookeeper/'
includes "${shipped[@]}" | grep -E 'spdlog/|fmt/' | grep -vE '^src/log/log\.cpp:' | fail_with 'spdlog is for src/log/log.cpp'
includes "${shipped[@]}" | grep -vE '^src/cli/' | grep -E '"src/cli/|"cli/' | fail_with 'only the command includes the command'
includes "${shipped[@]}" | grep -E '"(tests|bench|examples)/' | fail_with 'nothing shipped includes a test'
includes "${shipped[@]}" | grep -E '^src/cli/' | grep -E '"src/(zookeeper|port|engine|operations|testing)/|"recipes/' |
  fail_with 'the command uses the public headers, and of src/ what lists participants and checks input'
includes "${shipped[@]}" | grep -E ':"' | grep -vE ':"(recipes|src)/' | fail_with 'includes are relative to the top of the tree'

# Each folder of the library, and what it may include besides itself, the public headers and recipes/.
allowed() {
  case $1 in
    errors | threads) echo none ;;
    log) echo 'threads' ;;
    port) echo 'errors' ;;
    engine) echo 'errors|port' ;;
    operations) echo 'errors|port|engine' ;;
    zookeeper) echo 'errors|threads|log|port' ;;
    api) echo 'errors|threads|log|port|engine|operations|zookeeper' ;;
  esac
}
for folder in errors threads log port engine operations zookeeper api; do
  mapfile -t sources < <(find "src/$folder" -name '*.[ch]pp' 2>/dev/null | sort)
  includes "${sources[@]}" | grep -E ':"src/' | grep -vE ":\"src/($folder|$(allowed $folder))/" |
    fail_with "src/$folder includes no folder above it"
done

[ $failures -eq 0 ] && echo "${#shipped[@]} files: their includes point one way"
exit $failures
