# SPDX-License-Identifier: Apache-2.0
"""Rows that are written past the caches, in C++.

The first and the last line of the cache of a row are its neighbours', too. Written past the caches
with the rest of the row, they wait in the processor until the row of the neighbour fills them;
written into the caches they are read from the memory first, which halves the speed of short rows.
"""

from __future__ import annotations

CODE = """#ifdef __x86_64__
#include <immintrin.h>

// Of bits: of a number, Clang makes a store into the caches.
template <class Real>
static inline void stream_one(Real* to, const Real* from) {
  if constexpr (sizeof(Real) == sizeof(long long)) {
    long long bits;
    std::memcpy(&bits, from, sizeof(bits));
    _mm_stream_si64(reinterpret_cast<long long*>(to), bits);
  } else {
    int bits;
    std::memcpy(&bits, from, sizeof(bits));
    _mm_stream_si32(reinterpret_cast<int*>(to), bits);
  }
}
#endif

// Writes whole rows past the caches, where the processor can.
template <class Real>
static inline void stream(Real* __restrict to, const Real* __restrict from, std::int64_t count) {
#ifdef __x86_64__
#ifdef __AVX512F__
  using Line = __m512i;
#elif defined(__AVX__)
  using Line = __m256i;
#else
  using Line = __m128i;
#endif
  constexpr std::int64_t line = sizeof(Line) / sizeof(Real);
  std::int64_t done = 0;
  while (done < count && reinterpret_cast<std::uintptr_t>(to + done) % sizeof(Line) != 0) {
    stream_one(to + done, from + done);
    ++done;
  }
  for (; done + line <= count; done += line) {
    Line values;
    std::memcpy(&values, from + done, sizeof(values));
#ifdef __AVX512F__
    _mm512_stream_si512(reinterpret_cast<Line*>(to + done), values);
#elif defined(__AVX__)
    _mm256_stream_si256(reinterpret_cast<Line*>(to + done), values);
#else
    _mm_stream_si128(reinterpret_cast<Line*>(to + done), values);
#endif
  }
  for (; done < count; ++done) stream_one(to + done, from + done);
#else
  for (std::int64_t i = 0; i < count; ++i) to[i] = from[i];
#endif
}

// Others see what was streamed only after this.
static inline void end_streams() {
#ifdef __x86_64__
  _mm_sfence();
#endif
}
"""
