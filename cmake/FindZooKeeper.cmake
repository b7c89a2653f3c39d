# Finds the multi-threaded ZooKeeper C client, which ships neither a .pc file nor a CMake package.
#
#   find_package(ZooKeeper [3.8] [REQUIRED])
#
# Defines the target ZooKeeper::zookeeper_mt (with THREADED, without which the header hides half of the API), and
# ZooKeeper_FOUND, ZooKeeper_VERSION, ZooKeeper_INCLUDE_DIR, ZooKeeper_LIBRARY.
find_path(ZooKeeper_INCLUDE_DIR NAMES zookeeper/zookeeper.h)
find_library(ZooKeeper_LIBRARY NAMES zookeeper_mt)

if(ZooKeeper_INCLUDE_DIR AND EXISTS "${ZooKeeper_INCLUDE_DIR}/zookeeper/zookeeper_version.h")
  file(READ "${ZooKeeper_INCLUDE_DIR}/zookeeper/zookeeper_version.h" zookeeper_version_header)
  if(zookeeper_version_header MATCHES "#define ZOO_VERSION \"([^\"]*)\"")
    set(ZooKeeper_VERSION "${CMAKE_MATCH_1}")
  else()  # an older one
    set(zookeeper_version_parts)
    foreach(part IN ITEMS MAJOR MINOR PATCH)
      if(zookeeper_version_header MATCHES "#define ZOO_${part}_VERSION ([0-9]+)")
        list(APPEND zookeeper_version_parts "${CMAKE_MATCH_1}")
      endif()
    endforeach()
    list(JOIN zookeeper_version_parts "." ZooKeeper_VERSION)
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ZooKeeper
  REQUIRED_VARS ZooKeeper_LIBRARY ZooKeeper_INCLUDE_DIR
  VERSION_VAR ZooKeeper_VERSION)

if(ZooKeeper_FOUND AND NOT TARGET ZooKeeper::zookeeper_mt)
  find_package(Threads REQUIRED)
  add_library(ZooKeeper::zookeeper_mt UNKNOWN IMPORTED)
  set_target_properties(ZooKeeper::zookeeper_mt PROPERTIES
    IMPORTED_LOCATION "${ZooKeeper_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${ZooKeeper_INCLUDE_DIR}"
    INTERFACE_COMPILE_DEFINITIONS THREADED
    INTERFACE_LINK_LIBRARIES Threads::Threads)
endif()
mark_as_advanced(ZooKeeper_INCLUDE_DIR ZooKeeper_LIBRARY)
