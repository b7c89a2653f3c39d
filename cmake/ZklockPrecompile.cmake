# The headers that most tests include, compiled once and not once for each of them: a third of what a test takes to
# build. Without a compiler cache only: it knows each file already, and cannot see into what is precompiled. So a build with a cache
# (and the preset tidy) is also the check that each file includes what it uses.

# zklock_precompile(<name> <directory>... [OPTIONS <compile option>...] [LIBRARIES <library>...] HEADERS <header>...):
# for all programs of the directories that link one of the libraries themselves; where none is named, for all programs and object libraries.
function(zklock_precompile name)
  cmake_parse_arguments(PARSE_ARGV 1 one "" "" "OPTIONS;LIBRARIES;HEADERS")
  if(CMAKE_CXX_COMPILER_LAUNCHER OR CMAKE_CXX_CLANG_TIDY)
    return()
  endif()
  set(nothing ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  file(CONFIGURE OUTPUT ${nothing} CONTENT "")
  add_library(${name} OBJECT ${nothing})
  target_compile_options(${name} PRIVATE ${one_OPTIONS})
  target_link_libraries(${name} PRIVATE ${one_LIBRARIES})
  zklock_settings(${name})
  target_precompile_headers(${name} PRIVATE ${one_HEADERS})
  foreach(directory IN LISTS one_UNPARSED_ARGUMENTS)
    get_property(targets DIRECTORY ${directory} PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
      get_target_property(type ${target} TYPE)
      get_target_property(libraries ${target} LINK_LIBRARIES)
      if((type STREQUAL "OBJECT_LIBRARY" AND NOT one_LIBRARIES) OR (type STREQUAL "EXECUTABLE" AND "${libraries}" MATCHES "${one_LIBRARIES}"))
        target_precompile_headers(${target} REUSE_FROM ${name})
        # g++ 12 no longer knows of what is precompiled that it is the standard library's: it warns of its own std::string.
        target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds -Wno-stringop-overflow
          -Wno-stringop-overread>)
      endif()
    endforeach()
  endforeach()
endfunction()
