// SPDX-License-Identifier: Apache-2.0
// How the run began whose files lie in a directory: at which time, from which checkpoint, and with
// which streams. Kept beside the journals, in one file; decision 0011.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "output/deal/definition.hpp"

namespace thalweg {

/// One rank. Nothing where no run of these streams has begun. Throws Error(user) if one has begun
/// with other times of them, or without some of them, or not all of them in one run, or if these
/// are journals of files elsewhere: its files cannot be continued then.
std::optional<BegunRun> read_begun(const Definition& definition);
/// One rank, before anything is changed. Throws Error(user) if these are journals of files
/// elsewhere.
void require_own_journals(const Definition& definition);
/// One rank: `known`, or of a run that begins 16 letters. Outputs of one program in one directory
/// are one run, as long as none of them begins there for a second time.
std::string name_of_run(const Definition& definition, const std::string& known);
/// One rank, when a run continues: tells of outputs that are due now and were not in the run
/// before.
void warn_of_gaps(const Definition& definition);
/// One rank: of all runs that write into the directory, or have.
std::set<std::string> names_of_runs(const Definition& definition);
/// One rank: when each stream was to end in the run before, 0 = not known.
std::vector<ModelTime> ends_before(const Definition& definition);
/// With all times that the streams had in the run before, if these were to end later.
Definition with_longest_schedules(const Definition& definition);
/// One rank, before any writer begins. What is known of other streams stays. Throws
/// Error(file_system).
void write_begun(const Definition& definition);

}  // namespace thalweg
