# The installed package: one export set a library, so that `core` asks for Eigen alone.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/sparsedyn)

foreach(library core compile urdf json offline)
  install(TARGETS sparsedyn_${library} EXPORT sparsedyn-${library} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT sparsedyn-${library} NAMESPACE sparsedyn:: DESTINATION ${package_folder})
endforeach()
install(DIRECTORY include/sparsedyn DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
foreach(data sensors patterns robots)
  install(DIRECTORY ${data} DESTINATION ${CMAKE_INSTALL_DATADIR}/sparsedyn OPTIONAL)
endforeach()

configure_package_config_file(cmake/sparsedyn-config.cmake.in sparsedyn-config.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(sparsedyn-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sparsedyn-config.cmake ${PROJECT_BINARY_DIR}/sparsedyn-config-version.cmake
              cmake/FindUMFPACK.cmake DESTINATION ${package_folder})
