// SPDX-License-Identifier: Apache-2.0
// What containers.cpp makes its table of: the functions of every container.
#pragma once

#include "format/container.hpp"

namespace thalweg {

std::unique_ptr<Container> create_netcdf4(const FileDescription& description, MPI_Comm team);

}  // namespace thalweg
