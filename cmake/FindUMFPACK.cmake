# UMFPACK, COLAMD, AMD, BTF and KLU of SuiteSparse (Debian's libsuitesparse-dev has no CMake config):
# UMFPACK::UMFPACK carries all of them.
find_path(UMFPACK_INCLUDE_DIR umfpack.h PATH_SUFFIXES suitesparse)
set(UMFPACK_LIBRARIES)
set(_umfpack_required UMFPACK_INCLUDE_DIR)
foreach(_library umfpack klu btf colamd amd suitesparseconfig)
  find_library(SUITESPARSE_${_library}_LIBRARY ${_library})
  list(APPEND UMFPACK_LIBRARIES ${SUITESPARSE_${_library}_LIBRARY})
  list(APPEND _umfpack_required SUITESPARSE_${_library}_LIBRARY)
  mark_as_advanced(SUITESPARSE_${_library}_LIBRARY)
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(UMFPACK REQUIRED_VARS ${_umfpack_required})

if(UMFPACK_FOUND AND NOT TARGET UMFPACK::UMFPACK)
  add_library(UMFPACK::UMFPACK INTERFACE IMPORTED)
  set_target_properties(UMFPACK::UMFPACK PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${UMFPACK_INCLUDE_DIR}"
                                                    INTERFACE_LINK_LIBRARIES "${UMFPACK_LIBRARIES}")
endif()
