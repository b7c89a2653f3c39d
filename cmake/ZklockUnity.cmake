# What a source includes takes longer to compile than the source: many files at a time, with ZKLOCK_UNITY_BUILD. Not where a
# compiler cache or clang-tidy looks at each file by itself.

# zklock_compile_together(TARGETS <target>... [APART <source>...] [AT_ONCE <number>] [NAMES_MAY_SHADOW]): all sources of these but
# those APART, which use the same short names for others. AT_ONCE: so many files at a time, not eight, unless
# CMAKE_UNITY_BUILD_BATCH_SIZE says how many. NAMES_MAY_SHADOW: without -Wshadow, which also warns of a local name in one
# file that is a name of another. Not for the library: its users may compile each source alone (F199). clang warns of more such
# names than g++ does, so it never has the warning there.
function(zklock_compile_together)
  cmake_parse_arguments(PARSE_ARGV 0 one "NAMES_MAY_SHADOW" "AT_ONCE" "TARGETS;APART")
  if(CMAKE_CXX_COMPILER_LAUNCHER OR CMAKE_CXX_CLANG_TIDY OR NOT ZKLOCK_UNITY_BUILD)
    return()
  endif()
  foreach(target IN LISTS one_TARGETS)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON)
    if(one_AT_ONCE AND NOT CMAKE_UNITY_BUILD_BATCH_SIZE)
      set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE ${one_AT_ONCE})
    endif()
    if(one_NAMES_MAY_SHADOW OR CMAKE_CXX_COMPILER_ID MATCHES Clang)
      set_target_properties(${target} PROPERTIES
        UNITY_BUILD_CODE_BEFORE_INCLUDE "#pragma GCC diagnostic ignored \"-Wshadow\"")
    endif()
    set_property(SOURCE ${one_APART} TARGET_DIRECTORY ${target} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
endfunction()

# zklock_programs_of(<variable> <directory>...): stores the programs and object libraries of the directories.
function(zklock_programs_of variable)
  set(programs)
  foreach(directory IN LISTS ARGN)
    get_property(targets DIRECTORY ${directory} PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
      get_target_property(type ${target} TYPE)
      if(type MATCHES "EXECUTABLE|OBJECT_LIBRARY")
        list(APPEND programs ${target})
      endif()
    endforeach()
  endforeach()
  set(${variable} ${programs} PARENT_SCOPE)
endfunction()
