// SPDX-License-Identifier: Apache-2.0
// What containers.cpp makes its table of: the functions of every container.
#pragma once

#include "format/container.hpp"

namespace thalweg {

std::unique_ptr<Container> create_netcdf4(const FileDescription& description, MPI_Comm team);

std::unique_ptr<Container> create_grib2(const FileDescription& description, MPI_Comm team);
std::unique_ptr<Container> join_grib2(const FileDescription& description,
                                      const std::string& layout, MPI_Comm team);
void check_grib2(const FileDescription& description);

}  // namespace thalweg
