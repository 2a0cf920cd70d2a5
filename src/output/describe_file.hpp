// SPDX-License-Identifier: Apache-2.0
// What a file of a stream contains and what it is called, and the index over a team's own files.
#pragma once

#include "format/container.hpp"
#include "output/mode.hpp"

namespace thalweg {

/// File number `file` of a stream; where every writer has its own file, that of `writer`.
FileDescription describe_file(const Definition& definition, const LaneDivision& lane, int stream,
                              int file, int writer);

/// Mode file_parallel: the file that shows the complete files of a team as one, where the container
/// can be shown so. Throws Error(file_system).
void write_index(const Definition& definition, const LaneDivision& lane, int stream, int file);

}  // namespace thalweg
