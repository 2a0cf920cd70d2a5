// SPDX-License-Identifier: Apache-2.0
// Lossless compression of packed integers: CCSDS 121.0-B (adaptive entropy coding) by libaec, with
// the parameters that ecCodes writes into GRIB2 data representation template 5.42.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace thalweg {

/// Octet 22 of template 5.42 says how ecCodes holds integers in memory and that neighbours are
/// subtracted: AEC_DATA_3BYTE | AEC_DATA_MSB | AEC_DATA_PREPROCESS. The stream knows the last only.
inline constexpr int ccsds_flags = 2 | 4 | 8;
inline constexpr int ccsds_block = 32;                  ///< integers
inline constexpr int ccsds_blocks_per_reference = 128;  ///< blocks between uncoded integers

/// Appends the coded integers, each below 2^bits, bits 1 to 24.
void ccsds_encode(std::span<const std::uint32_t> integers, int bits, std::vector<std::byte>& into);

}  // namespace thalweg
