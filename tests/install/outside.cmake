# Installs the built tree under a prefix of its own, then configures, builds and runs small outside projects: with `core` alone,
# every other dependency hidden; with all libraries; both by pkg-config; and with the sources as a part of the project.
#   cmake -DBUILD=… -DSOURCE=… -DWORK=… -DCXX=… -DFLAGS=… -P outside.cmake
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
set(hidden)
foreach(package tinyxml2 urdfdom urdfdom_headers UMFPACK nlohmann_json)
  list(APPEND hidden -DCMAKE_DISABLE_FIND_PACKAGE_${package}=ON)
endforeach()
foreach(project core all)
  run(${CMAKE_COMMAND} -S ${SOURCE}/${project} -B ${WORK}/${project} -G Ninja -DCMAKE_PREFIX_PATH=${WORK}/prefix
      -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_FLAGS=${FLAGS} ${hidden})
  run(${CMAKE_COMMAND} --build ${WORK}/${project})
  run(${WORK}/${project}/outside)
  set(hidden)
endforeach()
run(${WORK}/prefix/bin/sparsedyn --version)

# The same by pkg-config, without CMake's package.
file(GLOB pkgconfig ${WORK}/prefix/lib*/pkgconfig ${WORK}/prefix/lib/*/pkgconfig)
set(ENV{PKG_CONFIG_PATH} ${pkgconfig})
foreach(project core all)
  set(packages sparsedyn-core)
  if(project STREQUAL all)
    set(packages sparsedyn-offline sparsedyn-json sparsedyn-urdf)
  endif()
  execute_process(COMMAND pkg-config --cflags --libs ${packages} OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  separate_arguments(own UNIX_COMMAND "${FLAGS}")
  run(${CXX} -std=c++17 ${own} ${SOURCE}/${project}/main.cpp -o ${WORK}/by_pkg_config_${project} ${flags})
  run(${WORK}/by_pkg_config_${project})
endforeach()

# As part of another project, with nothing but Eigen. (.ci/full builds all of it.)
set(hidden)
foreach(package tinyxml2 urdfdom urdfdom_headers UMFPACK nlohmann_json)
  list(APPEND hidden -DCMAKE_DISABLE_FIND_PACKAGE_${package}=ON)
endforeach()
run(${CMAKE_COMMAND} -S ${SOURCE}/subproject -B ${WORK}/subproject -G Ninja -DSPARSEDYN_SOURCE=${SOURCE}/../..
    -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_FLAGS=${FLAGS} ${hidden})
run(${CMAKE_COMMAND} --build ${WORK}/subproject --target sparsedyn_model)
foreach(file man/man1/sparsedyn.1 bash-completion/completions/sparsedyn zsh/site-functions/_sparsedyn)
  if(NOT EXISTS ${WORK}/prefix/share/${file})
    message(FATAL_ERROR "share/${file} is not installed")
  endif()
endforeach()
