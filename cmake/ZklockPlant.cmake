# Mistakes that are planted in a copy of a source, for tests that say which check notices them. What is shipped has no
# switch for them.

# zklock_plant(<variable> <name> <source> <what is replaced> <by what>): stores the path of a copy of the source that is
# broken in one place. The name is the copy's own in its directory.
function(zklock_plant variable name source sound broken)
  set(original ${PROJECT_SOURCE_DIR}/${source})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${original})
  file(READ ${original} text)
  string(FIND "${text}" "${sound}" first)
  string(FIND "${text}" "${sound}" last REVERSE)
  if(first EQUAL -1 OR NOT first EQUAL last)
    message(FATAL_ERROR "${source} must contain exactly once: ${sound}")
  endif()
  string(REPLACE "${sound}" "${broken}" text "${text}")
  set(copy ${CMAKE_CURRENT_BINARY_DIR}/broken_${name}.cpp)
  file(CONFIGURE OUTPUT ${copy} CONTENT "${text}" @ONLY)
  # The broken copy takes the place of the sound object, which therefore has nothing else in it.
  cmake_path(GET original PARENT_PATH directory)
  if(directory MATCHES "/src/(locks|runtime)$") # sources of the target in src/
    set(directory ${PROJECT_SOURCE_DIR}/src)
  endif()
  set_property(SOURCE ${original} DIRECTORY ${directory} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
  set(${variable} ${copy} PARENT_SCOPE)
endfunction()
