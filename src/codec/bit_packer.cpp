// SPDX-License-Identifier: Apache-2.0
// Packs block by block in the first-level cache: loops without branches that compilers vectorise,
// then shifts by constants, one program per number of bits.
#include "codec/bit_packer.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace thalweg {

namespace {

constexpr std::size_t group = 32;          // values: their bits fill whole 32-bit words
constexpr std::size_t block = 16 * group;  // values of a block: 2 KiB of integers

/// Floats as integers of the same order, so that minima need no floating-point rules; its own
/// inverse. Infinities and NaN lie beyond all finite values.
constexpr std::int32_t order_key(std::int32_t bits) {
  return bits ^ ((bits >> 31) & std::numeric_limits<std::int32_t>::max());
}
constexpr std::int32_t infinity_key =
    order_key(std::bit_cast<std::int32_t>(std::numeric_limits<float>::infinity()));

/// Highest byte first.
void store_big_endian(std::uint32_t word, std::byte* into) {
  if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap32(word);
  std::memcpy(into, &word, sizeof word);
}

/// `groups` times 32 integers become `bits` words each.
template <int bits>
void pack_groups(const std::uint32_t* integers, std::size_t groups, std::byte* into) {
  for (std::size_t number = 0; number < groups; ++number) {
    std::uint64_t waiting = 0;  // its lowest `filled` bits are not yet written
    int filled = 0;
#pragma GCC unroll 32
    for (std::size_t i = 0; i < group; ++i) {
      waiting = (waiting << bits) | integers[i];
      filled += bits;
      if (filled >= 32) {
        filled -= 32;
        store_big_endian(static_cast<std::uint32_t>(waiting >> filled), into);
        into += 4;
      }
    }
    integers += group;
  }
}

using PackGroups = void (*)(const std::uint32_t*, std::size_t, std::byte*);
template <std::size_t... less_one>
constexpr auto all_pack_groups(std::index_sequence<less_one...>) {
  return std::array<PackGroups, sizeof...(less_one)>{pack_groups<int(less_one) + 1>...};
}
constexpr auto pack_groups_of_bits =  // [bits - 1]
    all_pack_groups(std::make_index_sequence<largest_packed_bits>());

/// Fewer than 32 integers: what is left of the last byte becomes zero.
void pack_rest(const std::uint32_t* integers, std::size_t count, int bits, std::byte* into) {
  std::uint64_t waiting = 0;
  int filled = 0;
  for (std::size_t i = 0; i < count; ++i) {
    waiting = (waiting << bits) | integers[i];
    for (filled += bits; filled >= 8; filled -= 8) {
      *into++ = static_cast<std::byte>(waiting >> (filled - 8));
    }
  }
  if (filled > 0) *into = static_cast<std::byte>(waiting << (8 - filled));
}

}  // namespace

FloatRange range_of(std::span<const float> values) {
  std::int32_t smallest = std::numeric_limits<std::int32_t>::max();
  std::int32_t largest = std::numeric_limits<std::int32_t>::min();
  for (const float value : values) {
    const auto key = order_key(std::bit_cast<std::int32_t>(value));
    smallest = std::min(smallest, key);
    largest = std::max(largest, key);
  }
  // Adding zero turns -0 into 0.
  return {std::bit_cast<float>(order_key(smallest)) + 0.0F,
          std::bit_cast<float>(order_key(largest)) + 0.0F,
          largest < infinity_key && smallest > ~infinity_key};
}

Packing choose_packing(const FloatRange& range, int bits) {
  Packing packing{range.smallest, 0, bits};
  if (range.smallest == range.largest && std::fpclassify(range.smallest) != FP_SUBNORMAL) {
    return packing;  // constant: every X is 0
  }
  // Readers of GRIB need not know subnormal references: take the normal number or zero below.
  if (std::fpclassify(range.smallest) == FP_SUBNORMAL) {
    packing.reference = range.smallest > 0.0F ? 0.0F : -std::numeric_limits<float>::min();
  }
  // The smallest E with width * 2^-E < largest X + 1/2; width * 2^-E below is in [2^(bits-1),
  // 2^bits).
  const double width = double{range.largest} - double{packing.reference};
  packing.binary_scale = std::ilogb(width) - bits + 1;
  const double largest_x = std::ldexp(1.0, bits) - 1.0;
  if (std::ldexp(width, -packing.binary_scale) >= largest_x + 0.5) ++packing.binary_scale;
  return packing;
}

double largest_change(const Packing& packing) { return std::ldexp(0.5, packing.binary_scale); }

void quantise(std::span<const float> values, const Packing& packing, std::uint32_t* into) {
  // In double: the difference of two floats and its scaling by a power of two keep all bits that
  // 24-bit integers can ask for, so nothing is rounded twice.
  const double reference = packing.reference;
  const double steps_per_unit = std::ldexp(1.0, -packing.binary_scale);
  const float* from = values.data();
  for (std::size_t i = 0; i < values.size(); ++i) {
    into[i] = static_cast<std::uint32_t>(
        static_cast<std::int32_t>((double{from[i]} - reference) * steps_per_unit + 0.5));
  }
}

void pack(std::span<const float> values, const Packing& packing, std::byte* into) {
  std::array<std::uint32_t, block> integers;
  for (std::size_t first = 0; first < values.size(); first += block) {
    const auto count = std::min(block, values.size() - first);
    quantise(values.subspan(first, count), packing, integers.data());
    pack(std::span<const std::uint32_t>(integers.data(), count), packing.bits, into);
    into += packed_bytes(count, packing.bits);
  }
}

void pack(std::span<const std::uint32_t> integers, int bits, std::byte* into) {
  const auto groups = integers.size() / group;
  pack_groups_of_bits[bits - 1](integers.data(), groups, into);
  into += packed_bytes(groups * group, bits);
  pack_rest(integers.data() + groups * group, integers.size() % group, bits, into);
}

}  // namespace thalweg
