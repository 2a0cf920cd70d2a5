// SPDX-License-Identifier: Apache-2.0
// The journals of a run's files, and what may have become of a file that a kill left.
#pragma once

#include <optional>
#include <string>

#include "output/deal/mode.hpp"
#include "output/files/journal.hpp"

namespace thalweg {

/// Where the journals of all files lie.
std::string journal_directory(const Definition& definition);
/// The journal of file number `file` of a stream.
std::string journal_of(const Definition& definition, int stream, int file);

/// May a kill in the middle of a time break what a stream's file held before it?
bool is_fragile(const Definition& definition, int stream);
/// Do writers change files of their own, without asking the head, who keeps the journal, and
/// perhaps ahead of it? Then a file that is fragile is gone on with only where it is complete.
bool change_alone(const LaneDivision& lane);
/// Parts that their writers were changing by themselves when the run was killed, and that may not
/// open again.
bool is_broken_off(const Definition& definition, int stream, const JournalContent& content);

/// As read_journal() and read_journal_end(); nothing if it is that of another run, though the file
/// has the same name.
std::optional<JournalContent> own_journal(const Definition& definition, const std::string& path);
std::optional<JournalEnd> own_journal_end(const Definition& definition, const std::string& path);

}  // namespace thalweg
