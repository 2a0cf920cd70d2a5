// SPDX-License-Identifier: Apache-2.0
// How the run began whose files lie in a directory: at which time, from which checkpoint, and with
// which streams. Kept beside the journals, in one file; decision 0011.
#pragma once

#include <optional>
#include <span>

#include "output/deal/definition.hpp"

namespace thalweg {

/// One rank. Nothing where no run of these streams has begun. Throws Error(user) if one has begun
/// with other times of them, or without some of them, or, where it goes on, not all of them in one
/// run; or if these are journals of files elsewhere: its files cannot be continued then.
std::optional<BegunRun> read_begun(const Definition& definition, bool goes_on);
/// One rank, before anything is changed. Throws Error(user) if these are journals of files
/// elsewhere.
void require_own_journals(const Definition& definition);
/// With all times that the streams had in the run before, if these were to end later.
Definition with_longest_schedules(const Definition& definition);
/// One rank, before any writer begins. What is known of other streams stays. `kept`: kept_until(),
/// before anything was changed. Throws Error(file_system).
void write_begun(const Definition& definition, std::span<const ModelTime> kept);

}  // namespace thalweg
