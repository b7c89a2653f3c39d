# Passes only if the simulator ends with a violation that the expected checker has reported.
#
#   cmake -DSIMULATOR=<program> -DCHECKER=<name> [-DEXPLORE=<options>] -P expect_violation.cmake
execute_process(COMMAND "${SIMULATOR}" --exhaustive --deviations 3 ${EXPLORE}
  OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
message("${output}")
if(NOT status EQUAL 1)
  message(FATAL_ERROR "the simulator ended with ${status}, not with a violation")
endif()
if(NOT output MATCHES "VIOLATION ${CHECKER}: ")
  message(FATAL_ERROR "the violation was not reported by ${CHECKER}")
endif()
