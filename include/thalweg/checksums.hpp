// SPDX-License-Identifier: Apache-2.0
// Checksums of every output file of a run, taken while its bytes were written.
#pragma once

#include <mpi.h>

#include <string>

namespace thalweg {

/// From now on this rank keeps checksums of what it writes, in files without names in `directory`
/// (32 bytes for each row of consecutive bytes). Where that has no room for them, and where files
/// are open already, write_checksums() reads the output back.
void collect_checksums(const std::string& directory);

/// Collective over `world`, after every file is complete: rank 0 writes DIRECTORY/checksums.jsonl
/// about every file below DIRECTORY/files. Bytes that libraries wrote (headers, coordinates) are
/// read back for it; of files that the run has not changed the list before it is kept. Layout:
/// docs/decisions/0007-checksums-of-output.md. Throws Error(file_system) on every rank.
void write_checksums(MPI_Comm world, const std::string& directory);

}  // namespace thalweg
