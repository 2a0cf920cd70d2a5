// SPDX-License-Identifier: Apache-2.0
// Lossless codecs for blocks of bytes, in the formats that standard readers know.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/page_bytes.hpp"

namespace thalweg {

/// One codec. Thread-safe; what a call needs beside `into` is kept per thread and used again.
struct Codec {
  const char* name;
  const char* meaning;
  int hdf5_filter;  ///< registered HDF5 filter id (deflate 1, zstd 32015)
  bool built_in;    ///< every HDF5 reads it without a plugin
  int highest_level;
  const char* blosc_name;  ///< in the metadata of Zarr
  unsigned blosc_format;   ///< in the head of a frame of c-blosc 1
  /// Appends the compressed block to `into`. deflate: a zlib stream (RFC 1950); zstd: one frame.
  void (*compress)(std::span<const std::byte> block, int level, PageBytes& into);
  /// Fills `into` exactly. Throws Error(file_system) if the block is damaged.
  void (*decompress)(std::span<const std::byte> block, std::span<std::byte> into);
  /// Appends a block that decompress() turns into the shuffled values; faster than shuffle() and
  /// compress() where the codec can use that it sees whole values. size = value_bytes * values.
  void (*compress_values)(std::span<const std::byte> values, int value_bytes, int level,
                          PageBytes& into);
};

/// Every codec, in codecs.cpp.
std::span<const Codec> codecs();
/// Throws Error(user) with the list and "did you mean".
const Codec& find_codec(std::string_view name);

/// HDF5's shuffle filter: byte b of value i goes to into[b * values + i]. size = value_bytes *
/// values.
void shuffle(std::span<const std::byte> from, int value_bytes, std::span<std::byte> into);
void unshuffle(std::span<const std::byte> from, int value_bytes, std::span<std::byte> into);

/// The inverse of Codec::compress_values: decompresses, then unshuffles. Throws as decompress does.
void decompress_values(const Codec& codec, std::span<const std::byte> block, int value_bytes,
                       std::span<std::byte> values);

}  // namespace thalweg
