// SPDX-License-Identifier: Apache-2.0
// The messages between compute ranks and I/O ranks, one tag each.
#pragma once

namespace thalweg {

inline constexpr int tag_definition = 7;  ///< compute rank 0 -> I/O: all definitions as JSON
inline constexpr int tag_runs = 1;        ///< compute -> I/O: owned points as index runs
inline constexpr int tag_step = 2;    ///< compute -> I/O: {stream, step, slot, order of each field}
inline constexpr int tag_credit = 3;  ///< I/O -> compute: {lane, slot} may be filled again
inline constexpr int tag_error = 4;   ///< I/O -> compute: blame and sentence of what went wrong
inline constexpr int tag_close = 5;   ///< compute -> I/O: {abandon}; no more steps from this rank
inline constexpr int tag_done = 6;    ///< I/O -> compute: every file of this I/O rank is ended

}  // namespace thalweg
