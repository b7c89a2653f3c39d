#!/bin/bash
# check_includes_bites.sh: the check of includes, run on a tree with one offence of each kind, must name all of them.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/{recipes,include/zklock,src/zookeeper,src/engine,src/operations,src/session,src/cli,src/log,src/port,src/threads}
offence() { printf '#pragma once\n#include %s\n' "$2" >"$tree/$1"; }
offence recipes/asks_the_session.hpp '"src/engine/session_engine.hpp"'
offence recipes/asks_the_user.hpp '<zklock/error.hpp>'
offence recipes/locks.hpp '<mutex>'
offence recipes/talks.hpp '<boost/asio.hpp>'
offence src/engine/stops.hpp '<stop_token>'
offence src/operations/asks_the_threads.hpp '"src/threads/strand.hpp"'
offence src/threads/logs.hpp '"src/log/log.hpp"'
offence src/log/asks_zookeeper.hpp '"src/zookeeper/c_client.hpp"'
offence src/port/asks_the_engine.hpp '"src/engine/session_engine.hpp"'
offence src/zookeeper/asks_the_api.hpp '"src/api/session_impl.hpp"'
offence include/zklock/shows_the_inside.hpp '"src/engine/session_engine.hpp"'
offence include/zklock/shows_zookeeper.hpp '<zookeeper/zookeeper.h>'
offence include/zklock/shows_the_log.hpp '<spdlog/spdlog.h>'
offence include/zklock/shows_boost.hpp '<boost/asio.hpp>'
offence src/zookeeper/leaks_zookeeper.hpp '<zookeeper/zookeeper.h>'
offence src/session/speaks_to_zookeeper.cpp '<zookeeper/zookeeper.h>'
offence src/session/logs.cpp '<spdlog/spdlog.h>'
offence src/session/asks_the_command.cpp '"src/cli/run.hpp"'
offence src/session/asks_a_test.cpp '"tests/support/eventually.hpp"'
offence src/cli/skips_the_front_door.cpp '"src/engine/session_engine.hpp"'
offence src/engine/relative.cpp '"session_engine.hpp"'
output=$("$here/check_includes.sh" "$tree")
status=$?
echo "$output"
[ $status -eq 1 ] || { echo "expected exit status 1, got $status"; exit 1; }
missing=0
while read -r file; do
  grep -qF -- "$file:2:" <<<"$output" || { echo "not reported: $file"; missing=1; }
done < <(cd "$tree" && find . -type f | sed 's,^\./,,')
exit $missing
