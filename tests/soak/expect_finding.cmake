# Runs a soak whose workers do something wrong on purpose: passes only if that is found, by the check that is for it.
execute_process(COMMAND "${SOAK}" --time ${TIME} --seed 1 --planted ${PLANTED} OUTPUT_VARIABLE said RESULT_VARIABLE status)
message("${said}")
if(NOT status EQUAL 1)
  message(FATAL_ERROR "the soak ended with ${status}, not 1")
endif()
if(NOT said MATCHES "FOUND ${CHECK}")
  message(FATAL_ERROR "${CHECK} has found nothing")
endif()
# Whatever is left on failure is left on purpose; here the finding was wanted.
string(REGEX MATCH "logs in ([^\n]+)" line "${said}")
file(REMOVE_RECURSE "${CMAKE_MATCH_1}")
