// SPDX-License-Identifier: Apache-2.0
#include "codec/ccsds.hpp"

#include <fmt/format.h>
#include <libaec.h>

#include <algorithm>

#include "thalweg/error.hpp"

namespace thalweg {

namespace {

static_assert(ccsds_flags == (AEC_DATA_3BYTE | AEC_DATA_MSB | AEC_DATA_PREPROCESS));

/// The shortest type libaec takes for integers of so many bits, in this machine's byte order.
std::size_t bytes_per_integer(int bits) { return bits <= 8 ? 1 : bits <= 16 ? 2 : 4; }

aec_stream stream_of(int bits) {
  aec_stream stream{};
  stream.bits_per_sample = static_cast<unsigned>(bits);
  stream.block_size = ccsds_block;
  stream.rsi = ccsds_blocks_per_reference;
  stream.flags = AEC_DATA_PREPROCESS;
  return stream;
}

template <class Integer>
void narrow(std::span<const std::uint32_t> from, std::byte* into) {
  auto* integers = reinterpret_cast<Integer*>(into);
  for (std::size_t i = 0; i < from.size(); ++i) integers[i] = static_cast<Integer>(from[i]);
}

}  // namespace

void ccsds_encode(std::span<const std::uint32_t> integers, int bits, std::vector<std::byte>& into) {
  const auto size = bytes_per_integer(bits);
  std::vector<std::byte> narrowed(integers.size() * size);
  if (size == 1) narrow<std::uint8_t>(integers, narrowed.data());
  if (size == 2) narrow<std::uint16_t>(integers, narrowed.data());
  if (size == 4) narrow<std::uint32_t>(integers, narrowed.data());

  // A block that does not compress is stored as it is behind at most 5 bits; the last block is
  // filled up.
  const auto start = into.size();
  const auto blocks = integers.size() / ccsds_block + 2;
  into.resize(start + blocks * (ccsds_block * bits + 64) / 8 + 64);
  auto stream = stream_of(bits);
  stream.next_in = reinterpret_cast<const unsigned char*>(narrowed.data());
  stream.avail_in = narrowed.size();
  stream.next_out = reinterpret_cast<unsigned char*>(into.data() + start);
  stream.avail_out = into.size() - start;
  const int status = aec_buffer_encode(&stream);
  if (status != AEC_OK || stream.avail_in != 0) {
    throw Error(Blame::bug, fmt::format("libaec cannot encode {} integers of {} bits: status {}",
                                        integers.size(), bits, status));
  }
  into.resize(start + stream.total_out);
}

}  // namespace thalweg
