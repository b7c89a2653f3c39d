# An overlay port: vcpkg install zklock --overlay-ports=packaging/vcpkg --no-binarycaching, from the top of the tree. (vcpkg
# looks for changes in the port's own files alone: without that option it takes an earlier build.)
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS FEATURE_OPTIONS FEATURES testing ZKLOCK_BUILD_TESTING)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -DZKLOCK_BUILD_TESTS=OFF -DZKLOCK_BUILD_CLI=OFF -DZKLOCK_BUILD_EXAMPLES=OFF ${FEATURE_OPTIONS})
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/zklock)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
