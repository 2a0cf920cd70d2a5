// SPDX-License-Identifier: Apache-2.0
// Every codec Thalweg knows. To add one: write <name>.cpp, declare it in codec_list.hpp and add its
// line here.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string>

#include "codec/codec_list.hpp"
#include "thalweg/enum_array.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

namespace {

constexpr std::array all{
    Codec{"deflate", "zlib streams made by ISA-L; every netCDF-4 program reads them", 1, true, 9,
          "zlib", 3, deflate_compress, deflate_decompress, deflate_compress_values},
    Codec{"zstd", "Zstandard frames; readers of HDF5 need the plugin of filter 32015", 32015, false,
          19, "zstd", 4, zstd_compress, zstd_decompress, zstd_compress_values},
};

}  // namespace

std::span<const Codec> codecs() { return all; }

const Codec& find_codec(std::string_view name) {
  std::vector<std::string> names;
  for (const auto& codec : all) {
    if (name == codec.name) return codec;
    names.emplace_back(codec.name);
  }
  throw Error(Blame::user,
              fmt::format("compression '{}' does not exist; choose one of: none, {}.{}", name,
                          fmt::join(names, ", "), did_you_mean(std::string(name), names)));
}

std::span<std::byte> codec_scratch(Scratch which, std::size_t size) {
  thread_local EnumArray<Scratch, std::vector<std::byte>, 2> buffers;
  auto& buffer = buffers[which];
  if (buffer.size() < size) buffer.resize(size);
  return std::span(buffer).first(size);
}

void decompress_values(const Codec& codec, std::span<const std::byte> block, int value_bytes,
                       std::span<std::byte> values) {
  const auto shuffled = codec_scratch(Scratch::shuffled, values.size());
  codec.decompress(block, shuffled);
  unshuffle(shuffled, value_bytes, values);
}

}  // namespace thalweg
