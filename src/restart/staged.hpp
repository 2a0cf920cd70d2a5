// SPDX-License-Identifier: Apache-2.0
// What compute ranks and restart ranks must agree on about staging memory.
#pragma once

#include "redist/staging_memory.hpp"
#include "restart/mode.hpp"

namespace thalweg {

/// Parts are offered and taken in stretches of this size, in order: while one is written the next
/// is on its way.
inline constexpr std::int64_t chunk_bytes = std::int64_t{4} << 20;
inline constexpr int staging_tag = 1;  ///< one set is in flight at a time

/// How the news of a set that failed begins: its parts were taken all the same, or are left.
inline constexpr char parts_taken = 'T', parts_left = 'L';

/// Compute ranks are sources, restart ranks takers.
StagingRanks staging_ranks(const RestartTeam& team);

/// A restart rank's life: takes and writes parts until every compute rank has closed. Throws what
/// made it fail, after all others know.
void serve_restart_rank(const RestartTeam& team, const RestartModeEntry& entry);

}  // namespace thalweg
