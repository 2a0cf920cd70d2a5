// SPDX-License-Identifier: Apache-2.0
// What a file of a stream contains and what it is called, and the index over a team's own files.
#pragma once

#include "format/container.hpp"
#include "output/deal/mode.hpp"

namespace thalweg {

/// File number `file` of a stream; where every writer has its own file, that of `writer`.
FileDescription describe_file(const Definition& definition, const LaneDivision& lane, int stream,
                              int file, int writer);

/// What the names of a stream's files begin with: its own, or that of each of its partitions.
std::vector<std::string> names_of_partitions(const StreamSettings& stream);
/// The name of the file as a whole, whoever writes it.
std::string file_path(const Definition& definition, int stream, int file);
/// That of one of its parts, where every writer has its own.
std::string part_path(const Definition& definition, int stream, int file, int part);
/// What must be the same for a file to be continued, as text: fields, sizes, how values are stored.
std::string file_settings(const Definition& definition, const LaneDivision& lane, int stream,
                          int file);

/// Is there a file over the parts of a team's files?
bool has_index(const Definition& definition, const LaneDivision& lane, int stream);
/// Mode file_parallel: the file that shows the complete files of a team as one, where the container
/// can be shown so. Throws Error(file_system).
/// `written`: one of the parts as it was closed.
void write_index(const Definition& definition, const LaneDivision& lane, int stream, int file,
                 const FileDescription& written);

}  // namespace thalweg
