# Passes only if an expectation of the one test fails, whatever becomes of the program then: what is broken may not end.
#
#   cmake -DPROGRAM=<tests> -DTEST=<suite.test> -P expect_failure.cmake
set(ENV{ZKLOCK_TEST_PATIENCE_MS} 1500)
execute_process(COMMAND "${PROGRAM}" --gtest_filter=${TEST} TIMEOUT 60 OUTPUT_VARIABLE output
  ERROR_VARIABLE output RESULT_VARIABLE status)
message("${output}")
if(status EQUAL 0 OR NOT output MATCHES ": Failure")
  message(FATAL_ERROR "${TEST} ended with ${status}, not with a failure")
endif()
