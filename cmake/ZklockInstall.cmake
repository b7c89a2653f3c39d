# What is installed: the library, its headers, and what CMake and pkg-config ask about it. Relocatable: no path of the
# build or of the prefix is in it.
include(CMakePackageConfigHelpers)

set(zklock_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/zklock)

install(TARGETS zklock EXPORT zklock_targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/zklock DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
  PATTERN testing EXCLUDE)
install(EXPORT zklock_targets NAMESPACE zklock:: FILE zklock-targets.cmake DESTINATION ${zklock_cmake_dir}
  COMPONENT development)

if(ZKLOCK_BUILD_TESTING)
  install(TARGETS zklock_testing EXPORT zklock_testing_targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/zklock/testing DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/zklock
    COMPONENT development)
  install(EXPORT zklock_testing_targets NAMESPACE zklock:: FILE zklock-testing-targets.cmake
    DESTINATION ${zklock_cmake_dir} COMPONENT development)
endif()

configure_package_config_file(${PROJECT_SOURCE_DIR}/packaging/zklock-config.cmake.in zklock-config.cmake
  INSTALL_DESTINATION ${zklock_cmake_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(zklock-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/zklock-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/zklock-config-version.cmake
  ${PROJECT_SOURCE_DIR}/cmake/FindZooKeeper.cmake DESTINATION ${zklock_cmake_dir} COMPONENT development)

# pkg-config: its file is found in the prefix, and the paths count from there; not so if the user has said whole paths.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(zklock_pc_prefix "${CMAKE_INSTALL_PREFIX}")
  set(zklock_pc_includedir "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
  set(zklock_pc_libdir "${CMAKE_INSTALL_FULL_LIBDIR}")
else()
  file(RELATIVE_PATH zklock_prefix_from_pc "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
  string(REGEX REPLACE "/$" "" zklock_prefix_from_pc "${zklock_prefix_from_pc}")
  set(zklock_pc_prefix "\${pcfiledir}/${zklock_prefix_from_pc}")
  set(zklock_pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
  set(zklock_pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
endif()

# zklock_link_flags(<variable> <target or file of a library> <name>): what a linker is told of it, and where it is if that is
# no place where linkers look. Appended.
function(zklock_link_flags variable library name)
  set(flags "${${variable}}")
  if(TARGET ${library})
    get_target_property(imported ${library} IMPORTED)
    set(file)
    if(imported)
      get_target_property(file ${library} LOCATION)
    endif()
  else()
    set(file "${library}")
  endif()
  if(file MATCHES "^(/.*)/lib([^/]+)\\.(so|a)[^/]*$")
    set(directory "${CMAKE_MATCH_1}")
    set(name "${CMAKE_MATCH_2}")
    file(REAL_PATH "${directory}" directory)
    if(NOT directory IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
      string(APPEND flags " -L${directory}")
    endif()
  endif()
  set(${variable} "${flags} -l${name}" PARENT_SCOPE)
endfunction()

# The shared library brings what it needs. A program links what is behind the static one. It compiles with neither: the
# file asks for no other one, whose compile options a program would get.
set(zklock_pc_cflags)
set(zklock_pc_libs)
if(NOT BUILD_SHARED_LIBS)
  set(zklock_pc_cflags " -DZKLOCK_STATIC")
  set(zklock_pc_libs " -Wl,--exclude-libs,$<TARGET_FILE_NAME:zklock>")
  zklock_link_flags(zklock_pc_libs spdlog::spdlog spdlog)
  get_target_property(zklock_behind_spdlog spdlog::spdlog INTERFACE_LINK_LIBRARIES)
  if(zklock_behind_spdlog MATCHES "fmt::fmt(;|$)")
    zklock_link_flags(zklock_pc_libs fmt::fmt fmt)
  endif()
  zklock_link_flags(zklock_pc_libs ZooKeeper::zookeeper_mt zookeeper_mt)
  string(APPEND zklock_pc_libs " -pthread")
endif()
set(zklock_pc_files zklock.pc)
if(ZKLOCK_BUILD_TESTING)
  list(APPEND zklock_pc_files zklock-testing.pc)
endif()
foreach(file IN LISTS zklock_pc_files)
  configure_file(${PROJECT_SOURCE_DIR}/packaging/${file}.in ${file}.in @ONLY)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/pkgconfig-$<CONFIG>/${file})  # a configuration may have a postfix
  file(GENERATE OUTPUT ${generated} INPUT ${CMAKE_CURRENT_BINARY_DIR}/${file}.in)
  install(FILES ${generated} DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endforeach()
