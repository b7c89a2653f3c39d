# Finds the multi-threaded ZooKeeper C client, which ships neither a .pc file nor a CMake package.
#
#   find_package(ZooKeeper [3.8] [REQUIRED])
#
# Defines the target ZooKeeper::zookeeper_mt (with THREADED, without which the header hides half of the API), and
# ZooKeeper_FOUND, ZooKeeper_VERSION, ZooKeeper_INCLUDE_DIR, ZooKeeper_LIBRARY.
find_path(ZooKeeper_INCLUDE_DIR NAMES zookeeper/zookeeper.h)
find_library(ZooKeeper_LIBRARY NAMES zookeeper_mt)

if(ZooKeeper_INCLUDE_DIR AND EXISTS "${ZooKeeper_INCLUDE_DIR}/zookeeper/zookeeper_version.h")
  file(STRINGS "${ZooKeeper_INCLUDE_DIR}/zookeeper/zookeeper_version.h" zookeeper_version_line
    REGEX "^#define ZOO_VERSION \"[^\"]*\"")
  string(REGEX REPLACE "^#define ZOO_VERSION \"([^\"]*)\".*" "\\1" ZooKeeper_VERSION "${zookeeper_version_line}")
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
