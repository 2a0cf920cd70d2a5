// SPDX-License-Identifier: Apache-2.0
// The messages of a restart, one tag each.
#pragma once

namespace thalweg {

inline constexpr int tag_restart_slab = 31;    ///< sync, compute -> rank 0: bytes of a part
inline constexpr int tag_restart_seal = 32;    ///< compute -> restart: {bytes of its part}
inline constexpr int tag_restart_head = 33;    ///< compute 0 -> restart: the manifest without files
inline constexpr int tag_restart_part = 34;    ///< compute -> its restart rank: {index bytes}
inline constexpr int tag_restart_report = 35;  ///< restart -> first restart rank: parts or error
inline constexpr int tag_restart_done = 36;    ///< first restart rank -> compute: how it ended
inline constexpr int tag_restart_pulse = 38;   ///< any -> any: ranks/pulse.hpp
inline constexpr int tag_restart_close = 37;   ///< compute -> restart: {}; no more sets

}  // namespace thalweg
