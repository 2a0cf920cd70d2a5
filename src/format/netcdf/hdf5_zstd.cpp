// SPDX-License-Identifier: Apache-2.0
// Registers Zstandard as HDF5's filter 32015, by our codec.
#include "format/netcdf/hdf5_zstd.hpp"

#include <hdf5.h>
#include <zstd.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <span>
#include <vector>

#include "codec/codec.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

namespace {

/// Turns `block` into a block of HDF5's own kind of memory, in the place of *buffer.
std::size_t hand_over(std::span<const std::byte> block, std::size_t* buffer_bytes, void** buffer) {
  void* room = H5allocate_memory(block.size(), false);
  if (room == nullptr) return 0;
  std::memcpy(room, block.data(), block.size());
  H5free_memory(*buffer);
  *buffer = room;
  *buffer_bytes = block.size();
  return block.size();
}

std::size_t filter(unsigned flags, std::size_t parameters, const unsigned parameter[],
                   std::size_t size, std::size_t* buffer_bytes, void** buffer) {
  try {
    const auto& codec = find_codec("zstd");
    const std::span block(static_cast<const std::byte*>(*buffer), size);
    PageBytes result;
    if ((flags & H5Z_FLAG_REVERSE) != 0) {
      const auto whole = ZSTD_getFrameContentSize(block.data(), block.size());
      if (whole == ZSTD_CONTENTSIZE_ERROR || whole == ZSTD_CONTENTSIZE_UNKNOWN) return 0;
      result.resize(whole);
      codec.decompress(block, result);
    } else {
      codec.compress(block, parameters > 0 ? static_cast<int>(parameter[0]) : 1, result);
    }
    return hand_over(result, buffer_bytes, buffer);
  } catch (const std::exception&) {
    return 0;  // HDF5's word for failure
  }
}

}  // namespace

void register_hdf5_zstd() {
  const int id = find_codec("zstd").hdf5_filter;
  if (H5Zfilter_avail(id) > 0) return;
  const H5Z_class2_t description{H5Z_CLASS_T_VERS, id, 1, 1, "zstd", nullptr, nullptr, filter};
  if (H5Zregister(&description) < 0) throw Error(Blame::bug, "HDF5 refuses the zstd filter");
}

}  // namespace thalweg
