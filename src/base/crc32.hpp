// SPDX-License-Identifier: Apache-2.0
// The one checksum of files: fast here, and in every language without us.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace thalweg {

/// CRC-32 of gzip (what Python's zlib.crc32 computes), continued from `before`; 0 at the start.
std::uint32_t crc32(std::uint32_t before, std::span<const std::byte> bytes);

}  // namespace thalweg
