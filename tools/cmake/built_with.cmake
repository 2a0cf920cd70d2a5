# SPDX-License-Identifier: Apache-2.0
# What this build is made with, for run.json and `thalweg --version`: built_with.json beside bin/.
file(STRINGS ${ECCODES_INCLUDE}/eccodes_version.h ECCODES_VERSION
     REGEX "^#define[ \t]+ECCODES_VERSION_STR")
string(REGEX REPLACE ".*\"(.*)\".*" "\\1" ECCODES_VERSION "${ECCODES_VERSION}")

set(INSTRUCTION_SET ${CMAKE_SYSTEM_PROCESSOR})
if(THALWEG_NATIVE)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -march=native -Q --help=target
                  OUTPUT_VARIABLE TARGET_OPTIONS ERROR_QUIET)
  string(REGEX MATCH "-march=[ \t]+([^ \t\n]+)" MATCHED "${TARGET_OPTIONS}")
  string(STRIP "native ${CMAKE_MATCH_1}" INSTRUCTION_SET)
endif()

set(BUILT_WITH "{}")
foreach(
  pair
  "hdf5=${HDF5_VERSION}"
  "netcdf=${NETCDF_VERSION}"
  "pnetcdf=${PNETCDF_VERSION}"
  "eccodes=${ECCODES_VERSION}"
  "compiler=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
  "fortran_compiler=${CMAKE_Fortran_COMPILER_ID} ${CMAKE_Fortran_COMPILER_VERSION}"
  "instruction_set=${INSTRUCTION_SET}"
  "build_type=${CMAKE_BUILD_TYPE}")
  string(REGEX MATCH "^([^=]+)=(.*)$" MATCHED "${pair}")
  string(STRIP "${CMAKE_MATCH_2}" value)
  if(value)
    string(JSON BUILT_WITH SET "${BUILT_WITH}" ${CMAKE_MATCH_1} "\"${value}\"")
  endif()
endforeach()
file(WRITE ${CMAKE_BINARY_DIR}/built_with.json "${BUILT_WITH}\n")
