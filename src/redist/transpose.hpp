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

/// One value with its bytes in the other order (little-endian <-> big-endian), stored as an
/// integer: it is no number to compute with.
template <class To>
inline void store_swapped(To value, To* into) {
  if constexpr (sizeof(To) == 4) {
    const auto word = __builtin_bswap32(std::bit_cast<std::uint32_t>(value));
    std::memcpy(into, &word, sizeof word);
  } else {
    const auto word = __builtin_bswap64(std::bit_cast<std::uint64_t>(value));
    std::memcpy(into, &word, sizeof word);
  }
}

/// into[0 ... 7] = eight, byte-swapped if Swap.
template <bool Swap, class To>
inline void store_eight(const typename Eight<To>::Vector& eight, To* into) {
  if constexpr (Swap) {
    To lanes[8];
    std::memcpy(lanes, &eight, sizeof lanes);
    for (int i = 0; i < 8; ++i) store_swapped(lanes[i], into + i);
  } else {
    std::memcpy(into, &eight, sizeof eight);
  }
}

/// into[i] = from[i], converted and byte-swapped if Swap. By eights, since many rows are short.
template <bool Swap, class From, class To>
inline void convert_row(const From* __restrict from, std::int64_t count, To* __restrict into) {
  std::int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    typename Eight<From>::Vector eight;
    std::memcpy(&eight, from + i, sizeof eight);
    store_eight<Swap>(__builtin_convertvector(eight, typename Eight<To>::Vector), into + i);
  }
  for (; i < count; ++i) {
    if constexpr (Swap) {
      store_swapped(static_cast<To>(from[i]), into + i);
    } else {
      into[i] = static_cast<To>(from[i]);
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
  for (int level = skipped; level < end; ++level) {
    store_eight<Swap>(from[level], rows + (level - skipped) * row_stride);
  }
}

}  // namespace thalweg
