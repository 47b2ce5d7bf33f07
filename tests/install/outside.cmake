# Installs the built tree under a prefix of its own, then configures, builds and runs a small outside project twice:
# with `core` alone, every other dependency hidden, and with all libraries.
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
foreach(file man/man1/sparsedyn.1 bash-completion/completions/sparsedyn zsh/site-functions/_sparsedyn)
  if(NOT EXISTS ${WORK}/prefix/share/${file})
    message(FATAL_ERROR "share/${file} is not installed")
  endif()
endforeach()
