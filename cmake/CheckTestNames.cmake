# Fails unless each test that a page names is there.
#
#   cmake -DROOT=<source dir> -P cmake/CheckTestNames.cmake
#
# A test's name in a page: `in_backticks`, of five words or more.
file(GLOB pages "${ROOT}/docs/guide/*.md")
file(GLOB_RECURSE tests "${ROOT}/tests/*.cpp" "${ROOT}/tests/CMakeLists.txt" "${ROOT}/tests/*/CMakeLists.txt")
set(all "")
foreach(test IN LISTS tests)
  file(READ "${test}" text)
  string(APPEND all "${text}")
endforeach()
set(checked 0)
foreach(page IN LISTS pages)
  file(STRINGS "${page}" lines ENCODING UTF-8)
  foreach(line IN LISTS lines)
    string(REGEX MATCHALL "`[a-z][a-z0-9]*(_[a-z0-9]+)(_[a-z0-9]+)(_[a-z0-9]+)(_[a-z0-9]+)+`" names "${line}")
    foreach(name IN LISTS names)
      string(REPLACE "`" "" name "${name}")
      string(FIND "${all}" "${name}" found)
      if(found EQUAL -1)
        message(SEND_ERROR "${page}: there is no test ${name}")
      endif()
      math(EXPR checked "${checked} + 1")
    endforeach()
  endforeach()
endforeach()
message(STATUS "${checked} tests that the pages name are there")
