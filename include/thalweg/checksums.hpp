// SPDX-License-Identifier: Apache-2.0
// Checksums of every output file of a run, taken while its bytes were written.
#pragma once

#include <mpi.h>

#include <string>

namespace thalweg {

/// From now on this rank keeps checksums of what it writes: 24 bytes for each row of consecutive
/// bytes. Files that are open already are read back in write_checksums().
void collect_checksums();

/// Collective over `world`, after every file is complete: rank 0 writes DIRECTORY/checksums.jsonl
/// about every file below DIRECTORY/files. Bytes that libraries wrote (headers, coordinates) are
/// read back for it. Layout: docs/decisions/0007-checksums-of-output.md. Throws
/// Error(file_system) on every rank.
void write_checksums(MPI_Comm world, const std::string& directory);

}  // namespace thalweg
