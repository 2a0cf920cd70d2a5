// SPDX-License-Identifier: Apache-2.0
// Zstandard: one frame per block, with its size inside, as HDF5's filter 32015 wants it.
#include <fmt/format.h>
#include <zstd.h>

#include <memory>

#include "codec/codec_list.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

void zstd_compress(std::span<const std::byte> block, int level, PageBytes& into) {
  thread_local const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(),
                                                                                  ZSTD_freeCCtx);
  const auto packed = codec_scratch(Scratch::packed, ZSTD_compressBound(block.size()));
  const auto size = ZSTD_compressCCtx(context.get(), packed.data(), packed.size(), block.data(),
                                      block.size(), level);
  if (ZSTD_isError(size) != 0) {
    throw Error(Blame::bug, fmt::format("zstd cannot compress a block of {} bytes: {}",
                                        block.size(), ZSTD_getErrorName(size)));
  }
  into.insert(into.end(), packed.begin(), packed.begin() + size);
}

void zstd_compress_values(std::span<const std::byte> values, int value_bytes, int level,
                          PageBytes& into) {
  const auto shuffled = codec_scratch(Scratch::shuffled, values.size());
  shuffle(values, value_bytes, shuffled);
  zstd_compress(shuffled, level, into);
}

void zstd_decompress(std::span<const std::byte> block, std::span<std::byte> into) {
  thread_local const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(),
                                                                                  ZSTD_freeDCtx);
  const auto size =
      ZSTD_decompressDCtx(context.get(), into.data(), into.size(), block.data(), block.size());
  if (ZSTD_isError(size) == 0 && size == into.size()) return;
  throw Error(Blame::file_system,
              fmt::format("a zstd block of {} bytes is damaged: {}", block.size(),
                          ZSTD_isError(size) != 0
                              ? ZSTD_getErrorName(size)
                              : fmt::format("it holds {} bytes and not {}", size, into.size())));
}

}  // namespace thalweg
