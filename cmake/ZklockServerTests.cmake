# Tests against a real ZooKeeper share one server: ctest starts it before the first of them and stops it after the last.
include(GoogleTest)

set(ZKLOCK_TEST_ZOOKEEPER_DIR "${PROJECT_BINARY_DIR}/zookeeper")

# The server's life is also tied to ctest's (--owner parent), so that an interrupted run leaves none behind.
add_test(NAME zookeeper_starts COMMAND "${PROJECT_SOURCE_DIR}/scripts/zookeeper" start --remove
  --dir "${ZKLOCK_TEST_ZOOKEEPER_DIR}" --port-base free --owner parent)
add_test(NAME zookeeper_stops COMMAND "${PROJECT_SOURCE_DIR}/scripts/zookeeper" stop --remove
  --dir "${ZKLOCK_TEST_ZOOKEEPER_DIR}")
set_tests_properties(zookeeper_starts PROPERTIES FIXTURES_SETUP zookeeper)
set_tests_properties(zookeeper_stops PROPERTIES FIXTURES_CLEANUP zookeeper)

# zklock_discover_server_tests(<target> [<name> <value> ...]): one ctest for each test of a GoogleTest program, with
# the shared server, which the program finds through zklock::test_support::shared_zookeeper(). More properties may follow.
function(zklock_discover_server_tests target)
  gtest_discover_tests(${target} DISCOVERY_TIMEOUT 60 PROPERTIES
    FIXTURES_REQUIRED zookeeper
    ENVIRONMENT "ZKLOCK_TEST_ZOOKEEPER=${ZKLOCK_TEST_ZOOKEEPER_DIR}"
    ${ARGN})
endfunction()
