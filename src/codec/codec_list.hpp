// SPDX-License-Identifier: Apache-2.0
// The functions of each codec, for the table in codecs.cpp.
#pragma once

#include "codec/codec.hpp"

namespace thalweg {

void deflate_compress(std::span<const std::byte> block, int level, std::vector<std::byte>& into);
void deflate_decompress(std::span<const std::byte> block, std::span<std::byte> into);
void deflate_compress_values(std::span<const std::byte> values, int value_bytes, int level,
                             std::vector<std::byte>& into);

void zstd_compress(std::span<const std::byte> block, int level, std::vector<std::byte>& into);
void zstd_decompress(std::span<const std::byte> block, std::span<std::byte> into);
void zstd_compress_values(std::span<const std::byte> values, int value_bytes, int level,
                          std::vector<std::byte>& into);

/// A buffer of at least that size, kept per thread: fresh memory costs more than shuffling.
std::span<std::byte> codec_scratch(std::size_t size);

}  // namespace thalweg
