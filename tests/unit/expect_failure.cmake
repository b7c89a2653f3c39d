# Passes only if the one test fails, and as a test does: not by a crash.
#
#   cmake -DPROGRAM=<tests> -DTEST=<suite.test> -P expect_failure.cmake
set(ENV{ZKLOCK_TEST_PATIENCE_MS} 1500)
execute_process(COMMAND "${PROGRAM}" --gtest_filter=${TEST} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
message("${output}")
if(NOT status EQUAL 1 OR NOT output MATCHES "FAILED  . ${TEST}")
  message(FATAL_ERROR "${TEST} ended with ${status}, not with a failure")
endif()
