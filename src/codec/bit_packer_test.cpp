// SPDX-License-Identifier: Apache-2.0
#include "codec/bit_packer.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace thalweg {

namespace {

using Floats = std::vector<float>;
constexpr float infinity = std::numeric_limits<float>::infinity();

/// `count` values between the bounds, both of them among the values if there is room.
Floats random_values(std::mt19937& random, std::size_t count, float low, float high) {
  std::uniform_real_distribution<double> between(low, high);
  Floats values(count);
  for (float& value : values) value = static_cast<float>(between(random));
  values.front() = low;
  values.back() = high;
  return values;
}

struct Packed {
  Packing packing;
  std::vector<std::byte> bytes;
};
Packed packed(const Floats& values, int bits) {
  Packed result{choose_packing(range_of(values), bits), {}};
  const auto size = packed_bytes(values.size(), bits);
  result.bytes.assign(size + 8, std::byte{0xA5});  // the last 8 must stay
  pack(values, result.packing, result.bytes.data());
  for (std::size_t i = size; i < size + 8; ++i) REQUIRE(result.bytes[i] == std::byte{0xA5});
  result.bytes.resize(size);
  return result;
}

/// The values a reader gets, from packed_bytes() bytes.
void unpack(const std::byte* packed, const Packing& packing, std::span<double> values) {
  const double reference = packing.reference;
  const double step = std::ldexp(1.0, packing.binary_scale);
  const std::uint64_t mask = (std::uint64_t{1} << packing.bits) - 1;
  std::uint64_t waiting = 0;
  int filled = 0;
  for (double& value : values) {
    for (; filled < packing.bits; filled += 8) {
      waiting = (waiting << 8) | std::to_integer<std::uint64_t>(*packed++);
    }
    filled -= packing.bits;
    value = reference + static_cast<double>((waiting >> filled) & mask) * step;
  }
}

/// Largest |decoded - original| in half steps: at most 1.
double worst_change(const Floats& values, const Packed& from) {
  std::vector<double> decoded(values.size());
  unpack(from.bytes.data(), from.packing, decoded);
  double worst = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    worst = std::max(worst, std::abs(decoded[i] - double{values[i]}));
  }
  return worst / largest_change(from.packing);
}

}  // namespace

TEST_SUITE("bit_packer") {
  TEST_CASE("no_value_changes_by_more_than_half_a_step") {
    constexpr float least = std::numeric_limits<float>::denorm_min();
    constexpr float normal = std::numeric_limits<float>::min();
    constexpr float most = std::numeric_limits<float>::max();
    const std::vector<std::pair<float, float>> ranges{{0.0F, 1.0F},
                                                      {-3.5F, 12.25F},
                                                      {-most, most},
                                                      {0.0F, most},
                                                      {0.0F, least},
                                                      {-least, least},
                                                      {least, 7.0F * least},
                                                      {-9 * least, -2 * least},
                                                      {normal / 4, normal},
                                                      {-normal / 2, normal},
                                                      {-normal / 4, -normal / 8},
                                                      {1.0F, 1.0000001F},
                                                      {-1e20F, -0.99e20F},
                                                      {1e-30F, 1.5e-30F},
                                                      {-1e-38F, 1e30F},
                                                      {0.0F, 4095.0F},
                                                      {0.0F, 4095.5F},
                                                      {0.0F, 65535.0F},
                                                      {-1e10F, 1e-10F},
                                                      {3.0F, 3.0F},
                                                      {-0.0F, 0.0F},
                                                      {least, least},
                                                      {-least, -least}};
    std::mt19937 random(1);
    for (const auto& [low, high] : ranges) {
      for (int bits = 1; bits <= largest_packed_bits; ++bits) {
        for (const std::size_t count : {2UL, 31UL, 32UL, 33UL, 512UL, 1000UL}) {
          CAPTURE(low);
          CAPTURE(high);
          CAPTURE(bits);
          CAPTURE(count);
          const auto values = random_values(random, count, low, high);
          // 2^-24 of a step: rounding of the decoded value itself in double.
          REQUIRE(worst_change(values, packed(values, bits)) <= 1.0 + 6e-8);
        }
      }
    }
  }

  TEST_CASE("the_step_is_the_smallest_that_reaches_the_largest_value") {
    std::mt19937 random(2);
    std::uniform_real_distribution<float> exponent(-100.0F, 100.0F);
    for (int trial = 0; trial < 2000; ++trial) {
      const float low = std::exp2(exponent(random)), width = std::exp2(exponent(random));
      if (!(low + width > low)) continue;
      const FloatRange range{low, low + width, true};
      const int bits = 1 + trial % largest_packed_bits;
      const auto packing = choose_packing(range, bits);
      const double steps =
          (double{range.largest} - packing.reference) / std::ldexp(1.0, packing.binary_scale);
      const double most = std::ldexp(1.0, bits) - 1.0;
      CHECK(std::floor(steps + 0.5) <= most);
      CHECK(std::floor(2.0 * steps + 0.5) > most);
    }
  }

  TEST_CASE("constant_fields_and_single_values_come_back_as_they_were") {
    for (const float value : {0.0F, -7.25F, 1e-30F, 3.4e38F}) {
      for (const std::size_t count : {1UL, 3UL, 600UL}) {
        const Floats values(count, value);
        const auto from = packed(values, 12);
        std::vector<double> decoded(count);
        unpack(from.bytes.data(), from.packing, decoded);
        for (const double back : decoded) CHECK(back == double{value});
      }
    }
  }

  TEST_CASE("integers_of_as_many_bits_come_back_as_they_were") {
    for (int bits = 1; bits <= largest_packed_bits; ++bits) {
      std::mt19937 random(3);
      std::uniform_int_distribution<int> integers(0, (1 << bits) - 1);
      Floats values(777);
      for (float& value : values) value = static_cast<float>(integers(random));
      values[5] = 0.0F;
      values[6] = static_cast<float>((1 << bits) - 1);
      CHECK(worst_change(values, packed(values, bits)) == 0.0);
    }
  }

  TEST_CASE("the_first_value_stands_in_the_highest_bits") {
    const Floats values{0.0F, 4095.0F, 0x123, 0xABC, 1.0F};
    const auto from = packed(values, 12);
    const std::vector<unsigned> expected{0x00, 0x0F, 0xFF, 0x12, 0x3A, 0xBC, 0x00, 0x10};
    REQUIRE(from.bytes.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CHECK(std::to_integer<unsigned>(from.bytes[i]) == expected[i]);
    }
  }

  TEST_CASE("whatever_is_not_finite_is_noticed") {
    for (const float wrong : {infinity, -infinity, std::nanf(""), -std::nanf("")}) {
      for (const std::size_t where : {0UL, 17UL, 99UL}) {
        Floats values(100, 2.0F);
        values[where] = wrong;
        CHECK_FALSE(range_of(values).finite);
      }
    }
    const float most = std::numeric_limits<float>::max();
    const auto range = range_of(Floats{-most, 0.0F, most});
    CHECK(range.finite);
    CHECK(range.smallest == -most);
    CHECK(range.largest == most);
    CHECK_FALSE(std::signbit(range_of(Floats{-0.0F, 1.0F}).smallest));
  }
}

}  // namespace thalweg
