# The installed package: one export set a component, so that `core` asks for Eigen alone.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/sparsedyn)

foreach(component ${SPARSEDYN_COMPONENTS})
  get_target_property(layers sparsedyn_component_${component} SPARSEDYN_LAYERS)
  install(TARGETS sparsedyn_component_${component} ${layers} EXPORT sparsedyn-${component}
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT sparsedyn-${component} NAMESPACE sparsedyn:: DESTINATION ${package_folder})
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/sparsedyn DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
foreach(data sensors patterns robots)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${data} DESTINATION ${CMAKE_INSTALL_DATADIR}/sparsedyn OPTIONAL)
endforeach()

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/sparsedyn-config.cmake.in sparsedyn-config.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(sparsedyn-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sparsedyn-config.cmake ${PROJECT_BINARY_DIR}/sparsedyn-config-version.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindUMFPACK.cmake DESTINATION ${package_folder})

# pkg-config: sparsedyn-core, sparsedyn-urdf, …; static libraries, those that need others first.
file(RELATIVE_PATH up_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /) # so that an installation can be moved
set(requires_core "eigen3")
set(requires_codegen "sparsedyn-core")
set(requires_json "sparsedyn-core")
set(requires_urdf "sparsedyn-core urdfdom tinyxml2 console_bridge")
set(requires_offline "sparsedyn-codegen")
set(other_codegen "-ldl")
set(other_offline "$<$<BOOL:${SPARSEDYN_SUITESPARSE}>:-lumfpack -lklu -lbtf -lcolamd -lamd -lsuitesparseconfig>")
foreach(component ${SPARSEDYN_COMPONENTS})
  get_target_property(layers sparsedyn_component_${component} SPARSEDYN_LAYERS)
  set(libraries "")
  foreach(layer ${layers})
    get_target_property(type ${layer} TYPE)
    if(NOT type STREQUAL INTERFACE_LIBRARY)
      string(PREPEND libraries "-l${layer} ")
    endif()
  endforeach()
  string(APPEND libraries "${other_${component}}")
  set(requires "${requires_${component}}")
  configure_file(${PROJECT_SOURCE_DIR}/cmake/sparsedyn-component.pc.in sparsedyn-${component}.pc.in @ONLY)
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/sparsedyn-${component}.pc INPUT ${PROJECT_BINARY_DIR}/sparsedyn-${component}.pc.in)
  install(FILES ${PROJECT_BINARY_DIR}/sparsedyn-${component}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
