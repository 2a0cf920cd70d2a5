// SPDX-License-Identifier: Apache-2.0
#include "codec/ccsds.hpp"

#include <doctest/doctest.h>
#include <libaec.h>

#include <random>

namespace thalweg {

namespace {

using Integers = std::vector<std::uint32_t>;

template <class Integer>
Integers decoded_as(std::span<const std::byte> coded, int bits, std::size_t count) {
  std::vector<Integer> integers(count);
  aec_stream stream{};
  stream.bits_per_sample = static_cast<unsigned>(bits);
  stream.block_size = ccsds_block;
  stream.rsi = ccsds_blocks_per_reference;
  stream.flags = AEC_DATA_PREPROCESS;
  stream.next_in = reinterpret_cast<const unsigned char*>(coded.data());
  stream.avail_in = coded.size();
  stream.next_out = reinterpret_cast<unsigned char*>(integers.data());
  stream.avail_out = count * sizeof(Integer);
  REQUIRE(aec_buffer_decode(&stream) == AEC_OK);
  REQUIRE(stream.total_out == count * sizeof(Integer));
  return {integers.begin(), integers.end()};
}

// By libaec, which takes the shortest type for integers of so many bits.
Integers decoded(std::span<const std::byte> coded, int bits, std::size_t count) {
  if (bits <= 8) return decoded_as<std::uint8_t>(coded, bits, count);
  if (bits <= 16) return decoded_as<std::uint16_t>(coded, bits, count);
  return decoded_as<std::uint32_t>(coded, bits, count);
}

}  // namespace

TEST_SUITE("ccsds") {
  TEST_CASE("integers_come_back_as_they_were") {
    std::mt19937 random(1);
    for (int bits = 1; bits <= 24; ++bits) {
      for (const std::size_t count : {1UL, 31UL, 32UL, 33UL, 4096UL, 10000UL}) {
        CAPTURE(bits);
        CAPTURE(count);
        std::uniform_int_distribution<std::uint32_t> any(0, (1U << bits) - 1);
        Integers noise(count);
        for (auto& integer : noise) integer = any(random);
        Integers steps(count);
        for (std::size_t i = 0; i < count; ++i) steps[i] = static_cast<unsigned>(i) % (1U << bits);
        for (const auto& integers : {noise, steps, Integers(count, 0), Integers(count, 1)}) {
          std::vector<std::byte> coded(3, std::byte{7});
          ccsds_encode(integers, bits, coded);
          REQUIRE(coded[2] == std::byte{7});
          REQUIRE(decoded(std::span(coded).subspan(3), bits, count) == integers);
        }
      }
    }
  }

  TEST_CASE("neighbours_alike_make_short_streams") {
    Integers ramp(8192);
    for (std::size_t i = 0; i < ramp.size(); ++i) ramp[i] = static_cast<unsigned>(i / 4);
    std::vector<std::byte> coded;
    ccsds_encode(ramp, 16, coded);
    CHECK(coded.size() < ramp.size() * 2 / 4);
  }
}

}  // namespace thalweg
