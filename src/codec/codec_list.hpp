// SPDX-License-Identifier: Apache-2.0
// The functions of each codec, for the table in codecs.cpp.
#pragma once

#include "codec/codec.hpp"

namespace thalweg {

void deflate_compress(std::span<const std::byte> block, int level, PageBytes& into);
void deflate_decompress(std::span<const std::byte> block, std::span<std::byte> into);
void deflate_compress_values(std::span<const std::byte> values, int value_bytes, int level,
                             PageBytes& into);

/// Part of a deflate stream, by ISA-L's level 1, 2 or 3: whole blocks without the last one's mark,
/// ending on a whole byte. `into` needs deflate_room(block.size()). Returns the size.
std::size_t deflate_blocks(std::span<const std::byte> block, int isal_level,
                           std::span<std::byte> into);
/// The largest size of `size` bytes after deflate: stored blocks are the worst case.
constexpr std::size_t deflate_room(std::size_t size) { return size + 8 * (size / 16384) + 64; }

void zstd_compress(std::span<const std::byte> block, int level, PageBytes& into);
void zstd_decompress(std::span<const std::byte> block, std::span<std::byte> into);
void zstd_compress_values(std::span<const std::byte> values, int value_bytes, int level,
                          PageBytes& into);

/// Buffers kept per thread: fresh memory costs more than shuffling.
enum class Scratch { shuffled, packed };
std::span<std::byte> codec_scratch(Scratch which, std::size_t size);

}  // namespace thalweg
