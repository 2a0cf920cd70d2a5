// SPDX-License-Identifier: Apache-2.0
// Transposes 8 columns of 8 doubles into 8 rows, converting on the way, in registers.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

namespace thalweg {

/// The compiler's vectors of eight: one register with AVX-512, two or four without.
template <class Real>
struct Eight {
  typedef Real Vector __attribute__((vector_size(8 * sizeof(Real))));
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

/// rows[level * row_stride + point] = columns[point][first_level + level], point and level in [0,
/// 8).
template <class Real>
inline void transpose_8x8(const double* const* columns, int first_level, Real* rows,
                          std::int64_t row_stride) {
  using Vector = typename Eight<Real>::Vector;
  Vector a[8], b[8];
  for (int point = 0; point < 8; ++point) {
    typename Eight<double>::Vector column;
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
  for (int level = 0; level < 8; ++level) {
    std::memcpy(rows + level * row_stride, &from[level], sizeof(Vector));
  }
}

}  // namespace thalweg
