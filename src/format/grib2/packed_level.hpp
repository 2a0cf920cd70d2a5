// SPDX-License-Identifier: Apache-2.0
// One level of a field as a data section holds it: integers above a reference, and a bitmap where
// values are missing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "codec/bit_packer.hpp"

namespace thalweg {

/// Bytes for bitmap and data of a level whose message has its size before its values are known:
/// those of the data alone, and one more, so that both fit with one bit less.
constexpr std::size_t fixed_room(std::size_t points, int bits) {
  return packed_bytes(points, bits) + 1;
}

/// Owns nothing: valid until its packer is used again.
struct PackedLevel {
  Packing packing;               ///< bits = 0: all values are the reference, and there are no data
  std::span<const float> reals;  ///< the values that are there, not yet packed, or
  std::span<const std::uint32_t> integers;  ///< X of each, where the field is of integers
  std::span<const std::byte> bitmap;        ///< a bit a point, 1 = there; {} = all are there

  std::size_t present() const { return reals.size() + integers.size(); }
  std::size_t data_bytes() const { return packed_bytes(present(), packing.bits); }
  /// data_bytes() bytes of simple packing.
  void pack_into(std::byte* into) const;
  /// X of every value that is there; may use `memory`.
  std::span<const std::uint32_t> quantised(std::vector<std::uint32_t>& memory) const;
  /// Among the values that are there; -1 if this one is not.
  std::int64_t position_of(std::int64_t point) const;
  /// What a reader gets for the value at this position.
  double value_at(std::int64_t position) const;
};

/// Packs levels into at most `bits` bits a value. NaN is missing. fixed_size: bitmap and data
/// together have fixed_room(), so a level with few missing values has one bit less. Throws
/// Error(user) that begins with `what` for infinities, and for integers that so few bits cannot
/// hold exactly.
class LevelPacker {
 public:
  LevelPacker(int bits, bool fixed_size) : bits_(bits), fixed_size_(fixed_size) {}
  PackedLevel pack(std::span<const float> values, const std::string& what);
  PackedLevel pack(std::span<const std::int32_t> values, const std::string& what);
  PackedLevel pack(std::span<const std::int64_t> values, const std::string& what);

 private:
  PackedLevel with_bitmap(std::span<const float> values, const std::string& what);
  template <class Integer>
  PackedLevel exactly(std::span<const Integer> values, const std::string& what);

  int bits_;
  bool fixed_size_;
  std::vector<float> present_;
  std::vector<std::byte> bitmap_;
  std::vector<std::uint32_t> integers_;
};

}  // namespace thalweg
