# Debian packages by CPack: sparsedyn-core (data that all share), sparsedyn-dev (headers, static libraries), sparsedyn-tools (the
# program), python3-sparsedyn (where SPARSEDYN_PYTHON builds it). tools/package makes and tries them.
set(doc ${CMAKE_INSTALL_DATADIR}/doc)
set(deb ${PROJECT_BINARY_DIR}/deb)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
string(TIMESTAMP today "%a, %d %b %Y 00:00:00 +0000" UTC)
set(SPARSEDYN_PACKAGER "The sparsedyn authors <authors@sparsedyn.invalid>" CACHE STRING "Who makes the Debian packages: NAME <ADDRESS>")
set(contact "${SPARSEDYN_PACKAGER}")
file(WRITE ${deb}/changelog
     "sparsedyn (${PROJECT_VERSION}-1) unstable; urgency=medium\n\n  * As CHANGELOG.md of this version says.\n\n -- ${contact}  ${today}\n")
find_program(gzip gzip)
if(NOT gzip)
  return()
endif()
execute_process(COMMAND ${gzip} -9nc ${deb}/changelog OUTPUT_FILE ${deb}/changelog.Debian.gz COMMAND_ERROR_IS_FATAL ANY)
file(READ ${PROJECT_SOURCE_DIR}/LICENSE licence)
string(REGEX REPLACE "^[^\n]*\n\nCopyright[^\n]*\nAll rights reserved.\n" "" licence "${licence}")
string(REGEX REPLACE "\n\n" "\n.\n" licence "${licence}")
string(REGEX REPLACE "\n([^\n])" "\n \\1" licence "\n${licence}")
file(WRITE ${deb}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: sparsedyn

Files: *
Copyright: 2026 the sparsedyn authors
License: BSD-3-Clause${licence}")

set(components core dev tools)
if(SPARSEDYN_PYTHON)
  list(APPEND components python3)
  find_package(Python 3.11 REQUIRED COMPONENTS Interpreter)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/python/sparsedyn DESTINATION lib/python3/dist-packages COMPONENT python3 EXCLUDE_FROM_ALL
          PATTERN __pycache__ EXCLUDE)
endif()
set(name_core sparsedyn-core)
set(name_dev sparsedyn-dev)
set(name_tools sparsedyn-tools)
set(name_python3 python3-sparsedyn)
foreach(component ${components})
  install(FILES ${deb}/changelog.Debian.gz ${deb}/copyright DESTINATION ${doc}/${name_${component}} COMPONENT ${component} EXCLUDE_FROM_ALL)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name_${component}})
endforeach()

set(about "Robot dynamics as one sparse system of linear equations: the order of its
elimination is chosen offline and replayed in the loop.")
set(CPACK_COMPONENT_CORE_DESCRIPTION "robot dynamics as a sparse system: robots, sensor sets and plans\n${about}\n\nRobots to try it on, sensor sets, and plans that ship.")
set(CPACK_COMPONENT_DEV_DESCRIPTION "robot dynamics as a sparse system: headers and static libraries\n${about}\n\nHeaders, static libraries, and what CMake and pkg-config find them by.")
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "robot dynamics as a sparse system: the command line\n${about}\n\nThe program sparsedyn, its man page and its completions.")
set(CPACK_COMPONENT_PYTHON3_DESCRIPTION "robot dynamics as a sparse system: the Python package\n${about}\n\nAlgorithms, estimation and plans on NumPy arrays.")
set(CPACK_DEBIAN_CORE_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PYTHON3_PACKAGE_SECTION python)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libeigen3-dev, liburdfdom-dev, libtinyxml2-dev, libconsole-bridge-dev, libsuitesparse-dev")
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "sparsedyn-core")
set(CPACK_DEBIAN_TOOLS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SUGGESTS "gcc | c-compiler")
math(EXPR next "0${Python_VERSION_MINOR} + 1") # the module is of one version; NumPy's ABI 9 is that of 1.20 and later
set(CPACK_DEBIAN_PYTHON3_PACKAGE_DEPENDS
    "python3 (>= ${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}), python3 (<< ${Python_VERSION_MAJOR}.${next}), python3-numpy, python3-numpy-abi9")
set(CPACK_DEBIAN_PYTHON3_PACKAGE_SHLIBDEPS ON)

set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL ${components})
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_PACKAGE_NAME sparsedyn)
set(CPACK_PACKAGE_CONTACT "${contact}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "robot dynamics as one sparse linear system")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/compress.cmake)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_OUTPUT_FILE_PREFIX ${PROJECT_BINARY_DIR}/packages)
include(CPack)
