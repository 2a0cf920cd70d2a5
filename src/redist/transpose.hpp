// SPDX-License-Identifier: Apache-2.0
// Transposes 8 columns of 8 values into 8 rows in registers; converts and swaps bytes on the way.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

namespace thalweg {

/// The compiler's vectors of eight: one or two registers with AVX2 or AVX-512, up to four without.
template <class Real>
struct Eight {
  typedef Real Vector __attribute__((vector_size(8 * sizeof(Real))));
  typedef unsigned char Bytes __attribute__((vector_size(8 * sizeof(Real))));
};

/// low = a0 b0 a1 b1 a2 b2 a3 b3, high = the same of the upper halves.
template <class Vector>
inline void interleave(const Vector& a, const Vector& b, Vector& low, Vector& high) {
#if defined(__clang__)
  low = __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
  high = __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
#else  // GCC before 12 knows only this form
  low = __builtin_shuffle(a, b, __typeof__(a < b){0, 8, 1, 9, 2, 10, 3, 11});
  high = __builtin_shuffle(a, b, __typeof__(a < b){4, 12, 5, 13, 6, 14, 7, 15});
#endif
}

/// into[i] = from[i], converted and, if Swap, with its bytes in the other order (little-endian <->
/// big-endian).
template <bool Swap, class From, class To>
inline void convert_row(const From* __restrict from, std::int64_t count, To* __restrict into) {
  for (std::int64_t i = 0; i < count; ++i) {
    if constexpr (!Swap) {
      into[i] = static_cast<To>(from[i]);
    } else if constexpr (sizeof(To) == 4) {  // through integers: a swapped value is no number
      const auto word = __builtin_bswap32(std::bit_cast<std::uint32_t>(static_cast<To>(from[i])));
      std::memcpy(into + i, &word, sizeof word);
    } else {
      const auto word = __builtin_bswap64(std::bit_cast<std::uint64_t>(static_cast<To>(from[i])));
      std::memcpy(into + i, &word, sizeof word);
    }
  }
}

/// rows[(level - skipped) * row_stride + point] = columns[point][first_level + level] for point in
/// [0, 8) and level in [skipped, end) of the 8 levels that are read.
template <bool Swap, class From, class To>
inline void transpose_8x8(const From* const* columns, std::int64_t first_level, int skipped,
                          int end, To* rows, std::int64_t row_stride) {
  using Vector = typename Eight<To>::Vector;
  Vector a[8], b[8];
  for (int point = 0; point < 8; ++point) {
    typename Eight<From>::Vector column;
    std::memcpy(&column, columns[point] + first_level, sizeof column);
    a[point] = __builtin_convertvector(column, Vector);
  }
  // Three rounds of interleaving: neighbours at distance 4, then 2, then 1.
  Vector* from = a;
  Vector* to = b;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 4; ++i) interleave(from[i], from[i + 4], to[2 * i], to[2 * i + 1]);
    std::swap(from, to);
  }
  To lanes[8];
  for (int level = skipped; level < end; ++level) {
    std::memcpy(lanes, &from[level], sizeof lanes);
    convert_row<Swap>(lanes, 8, rows + (level - skipped) * row_stride);
  }
}

}  // namespace thalweg
