# What a test includes takes longer to compile than the test: the programs of a directory are compiled eight files at a time.
# Not where a compiler cache or clang-tidy looks at each file by itself.

# zklock_compile_together(<directory>... [APART <source>...]): all but these sources, which use the same short names for others.
function(zklock_compile_together)
  cmake_parse_arguments(PARSE_ARGV 0 one "" "" "APART")
  if(CMAKE_CXX_COMPILER_LAUNCHER OR CMAKE_CXX_CLANG_TIDY)
    return()
  endif()
  foreach(directory IN LISTS one_UNPARSED_ARGUMENTS)
    get_property(targets DIRECTORY ${directory} PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
      get_target_property(type ${target} TYPE)
      if(type STREQUAL "EXECUTABLE")
        # A local name in one file may be a name of another file.
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8
          UNITY_BUILD_CODE_BEFORE_INCLUDE "#pragma GCC diagnostic ignored \"-Wshadow\"")
        set_property(SOURCE ${one_APART} TARGET_DIRECTORY ${target} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
      endif()
    endforeach()
  endforeach()
endfunction()
