# The Debian packages, made with `cpack` in a build of the preset `packages`: libzklock0.1, libzklock-dev, zklock.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME zklock)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The zklock project <zklock@packages.invalid>")
set(CPACK_PACKAGE_HOMEPAGE_URL "")
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL library development command)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/ZklockPackageModes.cmake)
# What the sources need: the C client's package says that any version has its symbols.
set(zklock_debian_zookeeper "libzookeeper-mt2 (>= ${zklock_least_zookeeper})")

set(zklock_abi ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libzklock${zklock_abi})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS ${zklock_debian_zookeeper})
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "Mutexes, read/write locks, semaphores and multi-locks among all processes
that use the same ZooKeeper, with fencing tokens and local deadlines.
This package has the shared library.")
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/packages/triggers CONTENT "activate-noawait ldconfig\n")
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/packages/shlibs
  CONTENT "libzklock ${zklock_abi} libzklock${zklock_abi} (>= ${PROJECT_VERSION})\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA
  "${CMAKE_CURRENT_BINARY_DIR}/packages/triggers;${CMAKE_CURRENT_BINARY_DIR}/packages/shlibs")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libzklock-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libzklock${zklock_abi} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "This package has the headers, the in-memory ensemble for tests, and what
CMake and pkg-config ask about the library.")

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME zklock)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_COMMAND_PACKAGE_DEPENDS ${zklock_debian_zookeeper})
set(CPACK_COMPONENT_COMMAND_DESCRIPTION "This package has the command: it runs another command while it holds a
lock, and ends it when the lock is lost; it lists the holders and the
waiters of a lock.")

# What Debian wants beside the files themselves.
foreach(pair IN ITEMS "library libzklock${zklock_abi}" "development libzklock-dev" "command zklock")
  string(REPLACE " " ";" pair "${pair}")
  list(POP_FRONT pair component)
  set(documents ${CMAKE_INSTALL_DATAROOTDIR}/doc/${pair})
  install(FILES ${PROJECT_SOURCE_DIR}/packaging/debian/copyright DESTINATION ${documents} COMPONENT ${component})
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/packages/changelog.gz DESTINATION ${documents} COMPONENT ${component})
endforeach()
file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/packages)
find_program(ZKLOCK_GZIP gzip REQUIRED)
execute_process(COMMAND ${ZKLOCK_GZIP} -9nc ${PROJECT_SOURCE_DIR}/packaging/debian/changelog
  OUTPUT_FILE ${CMAKE_CURRENT_BINARY_DIR}/packages/changelog.gz COMMAND_ERROR_IS_FATAL ANY)

include(CPack)
