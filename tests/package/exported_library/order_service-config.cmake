include(CMakeFindDependencyMacro)
find_dependency(zklock 0.1 CONFIG COMPONENTS testing)
include("${CMAKE_CURRENT_LIST_DIR}/order_service-targets.cmake")
