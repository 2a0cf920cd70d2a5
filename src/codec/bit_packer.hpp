// SPDX-License-Identifier: Apache-2.0
// GRIB2 simple packing: a value becomes an integer of few bits above a reference value.
// WMO Manual on Codes I.2, regulation 92.9.4, with decimal scale 0: value = R + X * 2^E.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace thalweg {

inline constexpr int largest_packed_bits = 24;  ///< all that a float32 holds

/// Smallest and largest value of a block.
struct FloatRange {
  float smallest = 0.0F, largest = 0.0F;
  bool finite = true;  ///< no NaN, no infinity among the values
};
/// Of at least one value.
FloatRange range_of(std::span<const float> values);

/// How values became integers: value = reference + X * 2^binary_scale with 0 <= X < 2^bits.
struct Packing {
  float reference = 0.0F;  ///< R
  int binary_scale = 0;    ///< E
  int bits = 16;           ///< of X, 1 to largest_packed_bits
};

/// The smallest step 2^E that reaches the largest value; R is the smallest value. These are also
/// ecCodes' choices wherever 2^E is a normal number. `range` must be finite.
Packing choose_packing(const FloatRange& range, int bits);

/// Half a step: no value is changed by more.
double largest_change(const Packing& packing);

/// Bytes of so many packed values.
constexpr std::size_t packed_bytes(std::size_t values, int bits) { return (values * bits + 7) / 8; }

/// X of every value, rounded to the nearest. Values must be finite and within the packing's range.
void quantise(std::span<const float> values, const Packing& packing, std::uint32_t* into);

/// quantise() and a bit stream, first value and highest bit first: packed_bytes() bytes.
void pack(std::span<const float> values, const Packing& packing, std::byte* into);

/// The bit stream of integers that are there already, each below 2^bits.
void pack(std::span<const std::uint32_t> integers, int bits, std::byte* into);

}  // namespace thalweg
