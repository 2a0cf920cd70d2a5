// SPDX-License-Identifier: Apache-2.0
// CRC-32 by ISA-L (carry-less multiplication, over 10 GB/s a core).
#include "base/crc32.hpp"

#include <isa-l/crc.h>

namespace thalweg {

std::uint32_t crc32(std::uint32_t before, std::span<const std::byte> bytes) {
  return crc32_gzip_refl(before, reinterpret_cast<const unsigned char*>(bytes.data()),
                         bytes.size());
}

}  // namespace thalweg
