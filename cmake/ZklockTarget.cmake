# What every target of this project is built with: the language level, warnings, sanitizers. The warnings are for work on
# zklock itself: they would stand behind those of a project that zklock is a part of, and its -Werror would be for ours.
add_library(zklock_build_settings INTERFACE)
target_compile_features(zklock_build_settings INTERFACE cxx_std_20)
if(PROJECT_IS_TOP_LEVEL)
  target_compile_options(zklock_build_settings INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast
    $<$<BOOL:${ZKLOCK_WARNINGS_AS_ERRORS}>:-Werror>
    $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>)
endif()
# g++ 12 warns of its own std::string and std::variant code when it inlines them.
target_compile_options(zklock_build_settings INTERFACE
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-maybe-uninitialized>)
if(ZKLOCK_SANITIZE)
  target_compile_options(zklock_build_settings INTERFACE -fsanitize=${ZKLOCK_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(zklock_build_settings INTERFACE -fsanitize=${ZKLOCK_SANITIZE})
  if(ZKLOCK_SANITIZE MATCHES "thread")
    target_compile_options(zklock_build_settings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
  endif()
endif()

# Several files at once: g++ is a tenth faster, and takes a fifth more memory, when it collects its garbage later.
if(ZKLOCK_UNITY_BUILD)
  target_compile_options(zklock_build_settings INTERFACE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1000000>)
endif()

target_compile_definitions(zklock_build_settings INTERFACE $<$<BOOL:${ZKLOCK_ASSERTIONS}>:ZKLOCK_ASSERTIONS>)

# A plugin may be closed: no symbol that is unique in the process keeps it loaded.
target_compile_options(zklock_build_settings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
if(NOT BUILD_SHARED_LIBS)
  target_compile_definitions(zklock_build_settings INTERFACE ZKLOCK_STATIC)
endif()

# zklock_settings(<target>...): builds the targets with the settings above, from the top of the tree. A library can go
# into a shared object, and exports no symbol but those that a public header exports.
function(zklock_settings)
  foreach(target IN LISTS ARGN)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:zklock_build_settings>)
    set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF UNITY_BUILD OFF)
    get_target_property(type ${target} TYPE)
    if(type MATCHES "STATIC_LIBRARY|SHARED_LIBRARY")
      set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
        VISIBILITY_INLINES_HIDDEN ON)
    endif()
  endforeach()
endfunction()

# zklock_decides(<target>...): builds what decides with optimisation in a preset that has no build type, for the simulator's
# sake; not without the tests, nor where each line's coverage is counted.
function(zklock_decides)
  if(ZKLOCK_BUILD_TESTS AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CXX_FLAGS MATCHES "--coverage")
    foreach(target IN LISTS ARGN)
      target_compile_options(${target} PRIVATE -O2)
    endforeach()
  endif()
endfunction()
