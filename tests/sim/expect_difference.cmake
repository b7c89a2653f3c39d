# Passes only if no checker reports anything, and the digest of one cell is found to differ: that one, of all that was explored.
#
#   cmake -DSIMULATOR=<program> -DDIGESTS=<file> -DSCENARIO=<name> -DFAULT=<name> -P expect_difference.cmake
execute_process(COMMAND "${SIMULATOR}" --exhaustive --scenario "${SCENARIO}" --fault "${FAULT}" --digests "${DIGESTS}"
  OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
message("${output}")
if(NOT status EQUAL 3)
  message(FATAL_ERROR "the simulator ended with ${status}, not with a difference")
endif()
if(NOT output MATCHES "DIGEST ${SCENARIO}: ${FAULT}: expected [^\n]*, got [^\n]*\n1 digests compared: 1 differences")
  message(FATAL_ERROR "the difference in ${SCENARIO}: ${FAULT} was not named, or another one was")
endif()
