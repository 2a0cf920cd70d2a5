// SPDX-License-Identifier: Apache-2.0
// What a run's record says about its MPI-IO: the layer, the hints asked for and those in force.
#pragma once

#include <mpi.h>

#include <string>

namespace thalweg {

/// Collective over `comm`, at the end of a run: rank 0 writes DIRECTORY/mpi_io.json if any rank
/// headed a file that was written through MPI-IO. Throws Error(file_system) on rank 0.
void write_mpi_io_record(MPI_Comm comm, const std::string& directory);

}  // namespace thalweg
