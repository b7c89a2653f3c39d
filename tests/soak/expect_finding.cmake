# Runs a soak whose workers do something wrong on purpose: passes only if that is found, by the check that is for it. What is
# wrong has to meet a fault of its kind: on a busy machine a soak may be over before that, and the next seed is tried.
foreach(seed IN ITEMS 1 2 3)
  execute_process(COMMAND "${SOAK}" --time ${TIME} --seed ${seed} --planted ${PLANTED}
    OUTPUT_VARIABLE said RESULT_VARIABLE status)
  message("${said}")
  if(status EQUAL 1 AND said MATCHES "FOUND ${CHECK}")
    # Whatever is left on failure is left on purpose; here the finding was wanted.
    string(REGEX MATCH "logs in ([^\n]+)" line "${said}")
    file(REMOVE_RECURSE "${CMAKE_MATCH_1}")
    return()
  endif()
endforeach()
message(FATAL_ERROR "${CHECK} has found nothing; the last soak ended with ${status}")
