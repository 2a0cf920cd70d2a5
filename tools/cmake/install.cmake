# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts in place: headers, libraries, the CMake package, pkg-config files.
# All of it finds its parts relative to itself: it may be moved, and --prefix may be given late.
include(CMakePackageConfigHelpers)
set(PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/thalweg)
set(PKGCONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH PREFIX_FROM_PKGCONFIG /prefix/${PKGCONFIG_DIR} /prefix)

add_custom_target(thalweg_installed DEPENDS thalweg) # what an installation needs to be built
install(TARGETS thalweg EXPORT thalwegTargets)
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT thalwegTargets NAMESPACE thalweg:: DESTINATION ${PACKAGE_DIR})
configure_file(tools/cmake/thalweg.pc.in thalweg.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/thalweg.pc DESTINATION ${PKGCONFIG_DIR})

if(TARGET thalweg_fortran)
  add_dependencies(thalweg_installed thalweg_fortran)
  install(TARGETS thalweg_fortran EXPORT thalwegFortranTargets)
  install(FILES ${CMAKE_BINARY_DIR}/fortran/modules/thalweg.mod
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/thalweg/fortran)
  install(EXPORT thalwegFortranTargets NAMESPACE thalweg:: DESTINATION ${PACKAGE_DIR})
  configure_file(tools/cmake/thalweg_fortran.pc.in thalweg_fortran.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/thalweg_fortran.pc DESTINATION ${PKGCONFIG_DIR})
endif()

# The language of kernels, for builds of models: no program runs it.
install(FILES tools/cmake/translate_kernels.cmake DESTINATION ${PACKAGE_DIR})
install(FILES python/thalweg/__init__.py python/thalweg/errors.py
        DESTINATION ${PACKAGE_DIR}/translator/python/thalweg)
install(DIRECTORY python/thalweg/dsl DESTINATION ${PACKAGE_DIR}/translator/python/thalweg
        FILES_MATCHING PATTERN "*.py" PATTERN "__pycache__" EXCLUDE)

set(MPI_OF_THALWEG "")
foreach(name mpi mpich)
  if(name IN_LIST MPI_CXX_LIB_NAMES)
    set(MPI_OF_THALWEG ${name})
  endif()
endforeach()
configure_package_config_file(tools/cmake/thalwegConfig.cmake.in thalwegConfig.cmake
                              INSTALL_DESTINATION ${PACKAGE_DIR})
write_basic_package_version_file(thalwegConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/thalwegConfig.cmake ${CMAKE_BINARY_DIR}/thalwegConfigVersion.cmake
        DESTINATION ${PACKAGE_DIR})
