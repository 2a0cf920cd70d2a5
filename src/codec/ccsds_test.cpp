// SPDX-License-Identifier: Apache-2.0
#include "codec/ccsds.hpp"

#include <doctest/doctest.h>

#include <random>

#include "thalweg/error.hpp"

namespace thalweg {

namespace {

using Integers = std::vector<std::uint32_t>;

Integers decoded(std::span<const std::byte> coded, int bits, std::size_t count) {
  Integers integers(count, 0xFFFFFFFFU);
  ccsds_decode(coded, bits, integers);
  return integers;
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

  TEST_CASE("a_cut_stream_is_noticed") {
    std::mt19937 random(2);
    Integers noise(1000);
    for (auto& integer : noise) integer = random() % 4096;
    std::vector<std::byte> coded;
    ccsds_encode(noise, 12, coded);
    CHECK_THROWS_AS(decoded(std::span(coded).first(coded.size() / 2), 12, noise.size()), Error);
  }
}

}  // namespace thalweg
