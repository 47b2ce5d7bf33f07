# The user's flags are not the library's, and neither changes what the other computes. A program (flags/main.cpp) in several
# compilations is linked to the library as it was built. With -DWHOLE=ON, in .ci/full, these are more compilations, and a second
# library is compiled for the machine at hand (for any machine, if the first one was for this): six minutes instead of one.
#   cmake -DBUILD=… -DSOURCE=… -DROOT=… -DWORK=… -DCXX=… -DFLAGS=… -DROBOT=… [-DWHOLE=ON] -P flags.cmake
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

find_program(ccache ccache)
if(ccache)
  set(ENV{CCACHE_BASEDIR} ${ROOT})
  set(ENV{CCACHE_NOHASHDIR} 1)
  set(launcher -DCMAKE_CXX_COMPILER_LAUNCHER=${ccache} -DCMAKE_C_COMPILER_LAUNCHER=${ccache})
endif()
if(NOT EXISTS ${ROBOT})
  set(ROBOT "")  # over the one in the cache that -D makes
endif()

function(check users compiler)
  get_filename_component(name ${compiler} NAME)
  set(folder ${WORK}/${name})
  run(${CMAKE_COMMAND} -S ${SOURCE}/flags -B ${folder} -G Ninja -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_CXX_COMPILER=${compiler}
      -DCMAKE_CXX_FLAGS=${FLAGS} -Dusers=${users} ${launcher})
  run(${CMAKE_COMMAND} --build ${folder})
  string(REPLACE "," ";" users "${users}")
  foreach(user ${users})
    run(${CMAKE_COMMAND} -E env EXACT=1 ${folder}/user_${user} ${WORK}/${library}.numbers ${ROBOT})
  endforeach()
endfunction()

function(check_all)
  if(NOT WHOLE)
    check(native,unoptimised ${CXX})  # vectors wider than the library's, and functions that stay apart for the linker
    return()
  endif()
  check(plain,native,unoptimised,sanitized,fast ${CXX})
  find_program(clang clang++)
  if(clang AND NOT CXX MATCHES clang)
    check(native ${clang})
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
set(library as_built)
check_all()

# No function of both under one name: the linker would keep one of the two, with the flags of either.
get_filename_component(name ${CXX} NAME)
file(GLOB libraries ${WORK}/prefix/lib*/libsparsedyn_*.a)
file(GLOB_RECURSE objects ${WORK}/${name}/CMakeFiles/user_unoptimised.dir/*.o)
run(${SOURCE}/shared-names ${libraries} -- ${objects})

# As a program whose vectors are not the library's would read other bytes, it does not link, and is told why.
execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK}/${name} --target user_debug_vectors RESULT_VARIABLE status
                OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status OR NOT output MATCHES "needs_the_standard_library_of_sparsedyn")
  message(FATAL_ERROR "-D_GLIBCXX_DEBUG: expected a linker's message that names the reason\n${output}")
endif()

if(NOT WHOLE)
  return()
endif()

# What the program does not link is not compiled a second time: it is half of the library.
set(not_linked -DSPARSEDYN_CODEGEN=OFF -DSPARSEDYN_IDENTIFICATION=OFF -DSPARSEDYN_SIMULATION=OFF -DSPARSEDYN_JSON=OFF)
set(other -march=native)
if(FLAGS MATCHES "-march=native")
  set(other -march=x86-64)
endif()
string(REPLACE "-march=native" "" without "${FLAGS}")
run(${CMAKE_COMMAND} -S ${ROOT} -B ${BUILD}/other-flags -G Ninja -DCMAKE_CXX_COMPILER=${CXX} "-DCMAKE_CXX_FLAGS=${without} ${other}"
    -DCMAKE_CXX_FLAGS_RELEASE=-O1 -DCMAKE_BUILD_TYPE=Release -DSPARSEDYN_TESTS=OFF -DSPARSEDYN_TOOLS=OFF
    -DSPARSEDYN_EXAMPLES=OFF ${not_linked} ${launcher})
run(${CMAKE_COMMAND} --build ${BUILD}/other-flags)
run(${CMAKE_COMMAND} --install ${BUILD}/other-flags --prefix ${WORK}/prefix)
configure_file(${WORK}/as_built.numbers ${WORK}/other.first COPYONLY)
set(library other)
check_all()
# Both libraries agree, to rounding.
run(${WORK}/${name}/user_plain ${WORK}/other.first ${ROBOT})
