# Runs tests of the suite with a zklock that does something wrong on purpose: passes only if that is found, by the check
# that is for it.
#
#   cmake -DTESTS=<program> -DPEER=<broken peer> -DCHECK=<test> -DSAYS=<what it says then> -P expect_failure.cmake
set(ENV{ZKLOCK_INTEROP_PEER} "${PEER}")
execute_process(COMMAND "${TESTS}" "--gtest_filter=${CHECK}" RESULT_VARIABLE status
  OUTPUT_VARIABLE said ERROR_VARIABLE said)
string(REPLACE "\n" "\n  " shown "  ${said}")  # what is found here is nothing to be reported
message("${shown}")
if(NOT status EQUAL 1)
  message(FATAL_ERROR "the tests ended with ${status}, not with a failure")
endif()
string(REPLACE "*" "" name "${CHECK}")
if(NOT said MATCHES "\\[  FAILED  \\] [^\n]*${name}")
  message(FATAL_ERROR "${CHECK} has found nothing")
endif()
string(FIND "${said}" "${SAYS}" found)
if(found EQUAL -1)
  message(FATAL_ERROR "${CHECK} has not found this: ${SAYS}")
endif()
