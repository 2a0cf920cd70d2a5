// SPDX-License-Identifier: Apache-2.0
// What an interrupted run left of a file, as its journal tells it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "format/container.hpp"
#include "output/deal/mode.hpp"
#include "output/files/own_journals.hpp"

namespace thalweg {

/// Head of the file's team: times up to definition.continues_after that are whole in it. Nothing if
/// it holds no later ones, and is complete or was before it was moved away. Throws Error(user) with
/// one sentence if what was written cannot be found again, or was written with other settings than
/// `settings`. `accepted`: require_kept() has looked, and journals of later files are gone.
std::optional<JournalContent> kept_of(const Definition& definition, const LaneDivision& lane,
                                      int stream, int file, const std::string& settings,
                                      bool accepted = false);

/// A file that holds kept times, or may.
struct KeptFile {
  int lane = 0, stream = 0, file = 0;
  JournalContent content;
};

/// Rank 0, before anything of the run before is changed: kept_of() of every file, and its blocks
/// are read where it was complete and goes on. Throws what kept_of() throws, and Error(user) for a
/// file that is not what was written, or whose container cannot go on with it.
std::vector<KeptFile> require_kept(const Definition& definition,
                                   std::span<const LaneDivision> lanes);

/// Rank 0, after that: journals tell of kept times only. What is written after these may be looked
/// for before the heads of the teams have begun.
void rewind_journals(const Definition& definition, std::span<const KeptFile> all);

/// Rank 0, before that: checksums of files that stay as they are stay, too.
void keep_checksums(const Definition& definition, std::span<const KeptFile> all);

/// The file as it is gone on with: kept times, then those that are to come.
FileDescription describe_kept(const Definition& definition, const LaneDivision& lane, int stream,
                              int file, int writer, const JournalContent& kept);

/// For the list of checksums: what a journal tells that files hold.
void note_content(const Definition& definition, const JournalContent& content);
/// One rank, at the end of a run that continued and had no other output: the same of complete files
/// that no stream of it has any more, or none of its length; of others their heads note it.
void note_left_files(const Definition& definition);
/// What the writers of a complete file have told, whose blocks still lie where they were written.
/// Nothing where that is not known.
std::optional<JournalContent> written_before(const Definition& definition, int stream, int file);

}  // namespace thalweg
