// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "format/container.hpp"

namespace thalweg {

std::unique_ptr<Container> create_netcdf4_chunked(const FileDescription& description,
                                                  MPI_Comm team);
std::unique_ptr<Container> join_netcdf4_chunked(const FileDescription& description,
                                                const std::string& layout, MPI_Comm team);

}  // namespace thalweg
