// SPDX-License-Identifier: Apache-2.0
// What containers.cpp makes its table of: the functions of every container.
#pragma once

#include "format/container.hpp"

namespace thalweg {

std::unique_ptr<Container> create_netcdf4(const FileDescription& description, MPI_Comm team);
std::unique_ptr<Container> join_netcdf4(const FileDescription& description,
                                        const std::string& layout, MPI_Comm team);
void check_netcdf4(const FileDescription& description);

std::unique_ptr<Container> create_cdf5(const FileDescription& description, MPI_Comm team);
std::unique_ptr<Container> join_cdf5(const FileDescription& description, const std::string& layout,
                                     MPI_Comm team);
void check_cdf5(const FileDescription& description);

std::unique_ptr<Container> create_classic(const FileDescription& description, MPI_Comm team);
std::unique_ptr<Container> join_classic(const FileDescription& description,
                                        const std::string& layout, MPI_Comm team);
void check_classic(const FileDescription& description);

std::unique_ptr<Container> create_raw(const FileDescription& description, MPI_Comm team);
std::unique_ptr<Container> join_raw(const FileDescription& description, const std::string& layout,
                                    MPI_Comm team);
void check_raw(const FileDescription& description);

// With parallel netCDF only.
std::unique_ptr<Container> create_netcdf4_mpiio(const FileDescription& description, MPI_Comm team);
std::unique_ptr<Container> join_netcdf4_mpiio(const FileDescription& description,
                                              const std::string& layout, MPI_Comm team);
void check_netcdf4_mpiio(const FileDescription& description);

// With PnetCDF only. What it checks is what check_cdf5 checks.
std::unique_ptr<Container> create_cdf5_mpiio(const FileDescription& description, MPI_Comm team);
std::unique_ptr<Container> join_cdf5_mpiio(const FileDescription& description,
                                           const std::string& layout, MPI_Comm team);

std::unique_ptr<Container> create_zarr(const FileDescription& description, MPI_Comm team);
std::unique_ptr<Container> join_zarr(const FileDescription& description, const std::string& layout,
                                     MPI_Comm team);
void check_zarr(const FileDescription& description);

std::unique_ptr<Container> create_grib2(const FileDescription& description, MPI_Comm team);
std::unique_ptr<Container> join_grib2(const FileDescription& description, const std::string& layout,
                                      MPI_Comm team);
void check_grib2(const FileDescription& description);

}  // namespace thalweg
