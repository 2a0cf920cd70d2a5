// SPDX-License-Identifier: Apache-2.0
// Deflate in zlib's wrapping (RFC 1950, 1951): ISA-L compresses, libdeflate decompresses (`thalweg
// bench codec` read 1.2 times as fast with it).
#include <fmt/format.h>
#include <isa-l/igzip_lib.h>
#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>

#include "codec/codec_list.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

namespace {

struct Compressor {
  isal_zstream stream;
  std::array<std::uint8_t, ISAL_DEF_LVL3_DEFAULT> work;  // the largest of all levels
};

/// Work space of ISA-L's levels 1 to 3.
constexpr std::array<std::uint32_t, 4> work_bytes{0, ISAL_DEF_LVL1_DEFAULT, ISAL_DEF_LVL2_DEFAULT,
                                                  ISAL_DEF_LVL3_DEFAULT};

/// ISA-L counts bytes in 32 bits.
constexpr std::size_t largest_block = std::numeric_limits<std::uint32_t>::max() - (1U << 22U);

struct FreeDecompressor {
  void operator()(libdeflate_decompressor* one) const { libdeflate_free_decompressor(one); }
};

/// Runs ISA-L over one block; returns the size of what it wrote.
std::size_t run(std::span<const std::byte> block, int level, int wrapping, bool last,
                std::span<std::byte> into) {
  if (block.size() > largest_block) {
    throw Error(Blame::bug, fmt::format("a block of {} bytes is too large", block.size()));
  }
  thread_local const auto compressor = std::make_unique<Compressor>();
  auto& stream = compressor->stream;
  isal_deflate_init(&stream);
  stream.level = static_cast<std::uint32_t>(std::clamp(level, 1, 3));
  stream.level_buf = compressor->work.data();
  stream.level_buf_size = work_bytes[stream.level];
  stream.gzip_flag = static_cast<std::uint16_t>(wrapping);
  stream.end_of_stream = last ? 1 : 0;
  stream.flush = last ? NO_FLUSH : FULL_FLUSH;
  stream.next_in = reinterpret_cast<std::uint8_t*>(const_cast<std::byte*>(block.data()));
  stream.avail_in = static_cast<std::uint32_t>(block.size());
  stream.next_out = reinterpret_cast<std::uint8_t*>(into.data());
  stream.avail_out = static_cast<std::uint32_t>(into.size());
  const int status = isal_deflate(&stream);
  if (status == COMP_OK && stream.avail_in == 0 && stream.avail_out > 0) return stream.total_out;
  throw Error(Blame::bug, fmt::format("deflate cannot compress a block of {} bytes (status {})",
                                      block.size(), status));
}

}  // namespace

std::size_t deflate_blocks(std::span<const std::byte> block, int isal_level,
                           std::span<std::byte> into) {
  return run(block, isal_level, IGZIP_DEFLATE, false, into);
}

void deflate_compress(std::span<const std::byte> block, int level, PageBytes& into) {
  const auto packed = codec_scratch(Scratch::packed, deflate_room(block.size()));
  const auto size = run(block, level, IGZIP_ZLIB, true, packed);
  into.insert(into.end(), packed.begin(), packed.begin() + size);
}

void deflate_decompress(std::span<const std::byte> block, std::span<std::byte> into) {
  if (std::max(block.size(), into.size()) > largest_block) {
    throw Error(Blame::bug, fmt::format("a block of {} bytes is too large", into.size()));
  }
  thread_local const std::unique_ptr<libdeflate_decompressor, FreeDecompressor> decompressor{
      libdeflate_alloc_decompressor()};
  std::byte nothing{};  // an empty block still needs an address
  const auto status =
      libdeflate_zlib_decompress(decompressor.get(), block.data(), block.size(),
                                 into.empty() ? &nothing : into.data(), into.size(), nullptr);
  if (status == LIBDEFLATE_SUCCESS) return;
  const char* reason = status == LIBDEFLATE_SHORT_OUTPUT         ? "it holds less than it should"
                       : status == LIBDEFLATE_INSUFFICIENT_SPACE ? "it holds more than it should"
                                                                 : "its codes make no sense";
  throw Error(Blame::file_system,
              fmt::format("a deflate block of {} bytes is damaged: {}", block.size(), reason));
}

}  // namespace thalweg
