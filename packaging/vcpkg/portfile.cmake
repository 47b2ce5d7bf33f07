# Untested. A registry wants vcpkg_from_github with the reference and checksum of a release.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
vcpkg_check_features(OUT_FEATURE_OPTIONS options FEATURES codegen SPARSEDYN_CODEGEN json SPARSEDYN_JSON urdf SPARSEDYN_URDF)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS ${options} -DSPARSEDYN_OFFLINE=OFF -DSPARSEDYN_TESTS=OFF -DSPARSEDYN_TOOLS=OFF
                      -DSPARSEDYN_EXAMPLES=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/sparsedyn)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
