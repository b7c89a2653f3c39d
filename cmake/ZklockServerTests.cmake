# Tests against a real ZooKeeper share one server: ctest starts it before the first of them and stops it after the last.
# What starts real servers or uses one has the label `server`: scripts/test gives it a second try.
# With a test preset tests/at_once.json says how many package tests run at a time, which compile, and how many tests of the
# programs that mostly start three servers of their own.
include(GoogleTest)

set(ZKLOCK_TEST_ZOOKEEPER_DIR "${PROJECT_BINARY_DIR}/zookeeper")

# The server's life is also tied to ctest's (--owner parent), so that an interrupted run leaves none behind.
add_test(NAME zookeeper_starts COMMAND "${PROJECT_SOURCE_DIR}/scripts/zookeeper" start --remove
  --dir "${ZKLOCK_TEST_ZOOKEEPER_DIR}" --port-base free --owner parent)
add_test(NAME zookeeper_stops COMMAND "${PROJECT_SOURCE_DIR}/scripts/zookeeper" stop --remove
  --dir "${ZKLOCK_TEST_ZOOKEEPER_DIR}")
set_tests_properties(zookeeper_starts PROPERTIES FIXTURES_SETUP zookeeper LABELS server)
# ctest begins with what another test waits for, and among that with the longest: the stop waits for all tests with this
# server, so for the long ones as well. Else these would begin when all others have run.
set_tests_properties(zookeeper_stops PROPERTIES FIXTURES_CLEANUP zookeeper LABELS server DEPENDS
  "simulator_exhaustive_1;simulator_exhaustive_2;simulator_random;soak_is_sound;soak_finds_stale-base;\
soak_finds_claims-after-release;soak_finds_keeps-a-grant;soak_finds_waits-too-long;soak_finds_deaf-to-removal")

# zklock_discover_server_tests(<target> [<name> <value> ...]): one ctest for each test of a GoogleTest program, with
# the shared server, which the program finds through zklock::test_support::shared_zookeeper(). More properties may follow.
function(zklock_discover_server_tests target)
  gtest_discover_tests(${target} DISCOVERY_TIMEOUT 60 PROPERTIES
    FIXTURES_REQUIRED zookeeper LABELS server
    ENVIRONMENT "ZKLOCK_TEST_ZOOKEEPER=${ZKLOCK_TEST_ZOOKEEPER_DIR}"
    ${ARGN})
endfunction()

# zklock_add_example_test(<target> [<argument>...]): runs an example with the shared server, in a chroot of its own, as its argument.
function(zklock_add_example_test target)
  list(JOIN ARGN _ arguments)
  set(name example_${target})
  if(arguments)
    string(APPEND name _${arguments})
  endif()
  add_test(NAME ${name} COMMAND bash -c
    [=[connect=$("$1" status --dir "$2" | grep ZKLOCK_CONNECT=) && exec "$3" "${connect#*=}/example-$$" "${@:4}"]=]
    -- "${PROJECT_SOURCE_DIR}/scripts/zookeeper" "${ZKLOCK_TEST_ZOOKEEPER_DIR}" "$<TARGET_FILE:${target}>" ${ARGN})
  set_tests_properties(${name} PROPERTIES FIXTURES_REQUIRED zookeeper LABELS server)
endfunction()
