// SPDX-License-Identifier: Apache-2.0
// Levels without missing values are packed from where they lie; others are drawn together first.
#include "format/grib2/packed_level.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "thalweg/error.hpp"

namespace thalweg {

namespace {

std::uint32_t bit_of(std::int64_t point) { return 0x80U >> (point % 8); }

}  // namespace

void PackedLevel::pack_into(std::byte* into) const {
  if (packing.bits == 0) return;
  integers.empty() ? thalweg::pack(reals, packing, into)
                   : thalweg::pack(integers, packing.bits, into);
}

std::span<const std::uint32_t> PackedLevel::quantised(std::vector<std::uint32_t>& memory) const {
  if (!integers.empty()) return integers;
  memory.resize(reals.size());
  quantise(reals, packing, memory.data());
  return memory;
}

std::int64_t PackedLevel::position_of(std::int64_t point) const {
  if (bitmap.empty()) return point;
  const std::size_t byte = point / 8;
  const auto own = std::to_integer<std::uint32_t>(bitmap[byte]);
  if ((own & bit_of(point)) == 0) return -1;
  std::int64_t before = std::popcount(own & ~(2 * bit_of(point) - 1) & 0xffU);
  for (std::size_t i = 0; i < byte; ++i) {
    before += std::popcount(std::to_integer<std::uint32_t>(bitmap[i]));
  }
  return before;
}

double PackedLevel::value_at(std::int64_t position) const {
  if (packing.bits == 0) return packing.reference;
  std::uint32_t integer = 0;
  if (integers.empty()) {
    quantise(reals.subspan(position, 1), packing, &integer);
  } else {
    integer = integers[position];
  }
  return packing.reference + std::ldexp(double(integer), packing.binary_scale);
}

PackedLevel LevelPacker::pack(std::span<const float> values, const std::string& what) {
  const auto range = range_of(values);
  if (!range.finite) return with_bitmap(values, what);
  PackedLevel level{choose_packing(range, bits_), values, {}, {}};
  if (!fixed_size_ && range.smallest == range.largest && level.packing.binary_scale == 0) {
    level.packing.bits = 0;
  }
  return level;
}

PackedLevel LevelPacker::with_bitmap(std::span<const float> values, const std::string& what) {
  present_.clear();
  bitmap_.assign(packed_bytes(values.size(), 1), std::byte{});
  for (std::size_t point = 0; point < values.size(); ++point) {
    if (std::isnan(values[point])) continue;
    present_.push_back(values[point]);
    bitmap_[point / 8] |= static_cast<std::byte>(bit_of(static_cast<std::int64_t>(point)));
  }
  if (present_.empty()) return {{0.0F, 0, 0}, {}, {}, bitmap_};
  const auto range = range_of(present_);
  if (!range.finite) {
    throw Error(Blame::user, fmt::format("{} has infinite values, which GRIB2 cannot hold; mend "
                                         "the field or choose another container",
                                         what));
  }
  if (range.smallest == range.largest && std::fpclassify(range.smallest) != FP_SUBNORMAL) {
    return {{range.smallest, 0, 0}, present_, {}, bitmap_};
  }
  int bits = bits_;
  if (fixed_size_) {
    const auto room = fixed_room(values.size(), bits_) - bitmap_.size();
    bits = std::min(bits, static_cast<int>(room * 8 / present_.size()));
  }
  if (bits < 1) {
    throw Error(Blame::user, fmt::format("{} has missing values, for which GRIB2 has no room with "
                                         "bits = 1; choose bits = 2 or more",
                                         what));
  }
  return {choose_packing(range, bits), present_, {}, bitmap_};
}

template <class Integer>
PackedLevel LevelPacker::exactly(std::span<const Integer> values, const std::string& what) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const auto smallest = static_cast<std::int64_t>(*low), largest = static_cast<std::int64_t>(*high);
  constexpr auto exact_doubles = std::int64_t{1} << 53;  // readers add in doubles
  if (smallest < -exact_doubles || largest > exact_doubles) {
    throw Error(
        Blame::user,
        fmt::format("{} has integers from {} to {}; readers of GRIB2 compute in float64, which "
                    "holds whole numbers up to 2^53: choose another container",
                    what, smallest, largest));
  }
  // The reference is a float32: the nearest one below, which is an integer too.
  auto reference = static_cast<float>(smallest);
  if (reference >= 0x1p63F || static_cast<std::int64_t>(reference) > smallest) {
    reference = std::nextafter(reference, -std::numeric_limits<float>::infinity());
  }
  const auto origin = static_cast<std::uint64_t>(static_cast<std::int64_t>(reference));
  if ((static_cast<std::uint64_t>(largest) - origin) >> static_cast<unsigned>(bits_) != 0) {
    const auto more = bits_ < largest_packed_bits
                          ? fmt::format("more bits (at most {}) or ", largest_packed_bits)
                          : std::string();
    throw Error(Blame::user,
                fmt::format("{} has integers from {} to {}, which GRIB2 cannot hold exactly with "
                            "bits = {}; choose {}another container",
                            what, smallest, largest, bits_, more));
  }
  integers_.resize(values.size());
  std::transform(values.begin(), values.end(), integers_.begin(), [&](Integer value) {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(value) - origin);
  });
  const bool constant = !fixed_size_ && smallest == largest && integers_.front() == 0;
  return {{reference, 0, constant ? 0 : bits_}, {}, integers_, {}};
}

PackedLevel LevelPacker::pack(std::span<const std::int32_t> values, const std::string& what) {
  return exactly(values, what);
}
PackedLevel LevelPacker::pack(std::span<const std::int64_t> values, const std::string& what) {
  return exactly(values, what);
}

}  // namespace thalweg
