// SPDX-License-Identifier: Apache-2.0
// The messages between compute ranks and I/O ranks, one tag each.
#pragma once

namespace thalweg {

inline constexpr int tag_definition = 7;  ///< compute rank 0 -> I/O: all definitions as JSON
inline constexpr int tag_runs = 1;        ///< compute -> I/O: owned points as index runs
/// compute -> writer: {stream, step, slot (-1 = the step was dropped), first slice, order of that
/// slice and of each that follows}
inline constexpr int tag_step = 2;
inline constexpr int tag_credit = 3;    ///< writer -> compute: it has taken {lane, slot}
inline constexpr int tag_error = 4;     ///< any -> compute: blame and sentence of what went wrong
inline constexpr int tag_close = 5;     ///< compute -> I/O: {abandon}; no more steps from this rank
inline constexpr int tag_pulse = 9;     ///< any -> any: ranks/pulse.hpp
inline constexpr int tag_written = 10;  ///< writer -> head of its team: a report (reports.hpp)
inline constexpr int tag_done = 6;      ///< I/O -> compute: every file of this I/O rank is ended
/// any -> all: this rank takes no part any more; blame and sentence of why
inline constexpr int tag_leave = 8;

}  // namespace thalweg
