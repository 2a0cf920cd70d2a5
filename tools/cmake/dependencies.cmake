# SPDX-License-Identifier: Apache-2.0
# Every library Thalweg needs. netCDF and HDF5 come with MPI or without it: a parallel HDF5 belongs
# to the one MPI it was built with.
include(CheckSymbolExists)
find_package(MPI REQUIRED COMPONENTS C CXX)
find_package(PkgConfig REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
pkg_check_modules(TOMLPLUSPLUS REQUIRED IMPORTED_TARGET tomlplusplus)
pkg_check_modules(ISAL REQUIRED IMPORTED_TARGET libisal)
pkg_check_modules(DEFLATE REQUIRED IMPORTED_TARGET libdeflate)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
# Looked for by header and library: its CMake package demands the command-line tools as well, and
# Debian's pkg-config file names folders that are not there. For a copy elsewhere it is a hint.
pkg_check_modules(ECCODES_HINT QUIET eccodes)
find_path(ECCODES_INCLUDE eccodes.h HINTS ${ECCODES_HINT_INCLUDE_DIRS} REQUIRED)
find_library(ECCODES_LIBRARY eccodes HINTS ${ECCODES_HINT_LIBRARY_DIRS} REQUIRED)
add_library(eccodes INTERFACE IMPORTED)
target_include_directories(eccodes INTERFACE ${ECCODES_INCLUDE})
target_link_libraries(eccodes INTERFACE ${ECCODES_LIBRARY})
find_library(AEC_LIBRARY aec REQUIRED) # libaec's CMake and pkg-config files are not in Debian

option(THALWEG_PARALLEL_NETCDF "netCDF and HDF5 with MPI: files can be written the mpiio way" ON)
set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
check_symbol_exists(OPEN_MPI mpi.h THALWEG_MPI_IS_OPEN_MPI)
unset(CMAKE_REQUIRED_LIBRARIES)

# Names of Debian first, then those of builds from source.
if(THALWEG_PARALLEL_NETCDF)
  pkg_search_module(NETCDF REQUIRED IMPORTED_TARGET netcdf-mpi netcdf)
  pkg_search_module(HDF5 REQUIRED IMPORTED_TARGET hdf5-openmpi hdf5)
  if(NETCDF_MODULE_NAME STREQUAL "netcdf-mpi" AND NOT THALWEG_MPI_IS_OPEN_MPI)
    message(FATAL_ERROR "The netCDF found is Debian's for Open MPI, but the MPI is another; add "
                        "-DTHALWEG_PARALLEL_NETCDF=OFF, or hide netcdf-mpi from pkg-config")
  endif()
  # Debian's netcdf-mpi.pc names a folder without netcdf.h; the header lies below its prefix.
  pkg_get_variable(NETCDF_PREFIX ${NETCDF_MODULE_NAME} prefix)
  target_include_directories(PkgConfig::NETCDF INTERFACE ${NETCDF_PREFIX}/include)
  # PnetCDF comes with one MPI only; without it cdf5 files have the direct way alone.
  pkg_check_modules(PNETCDF IMPORTED_TARGET pnetcdf)
else()
  pkg_check_modules(NETCDF REQUIRED IMPORTED_TARGET netcdf)
  pkg_search_module(HDF5 REQUIRED IMPORTED_TARGET hdf5-serial hdf5)
endif()
if(NETCDF_VERSION VERSION_LESS 4.9.0)
  message(FATAL_ERROR "netCDF ${NETCDF_VERSION} is too old: Thalweg needs 4.9.0 or newer, which "
                      "aligns data to pages; name a newer one in PKG_CONFIG_PATH")
endif()
# Dimension scales.
find_library(HDF5_HL NAMES hdf5_hl hdf5_serial_hl HINTS ${HDF5_LIBRARY_DIRS} REQUIRED)
target_link_libraries(PkgConfig::HDF5 INTERFACE ${HDF5_HL})
