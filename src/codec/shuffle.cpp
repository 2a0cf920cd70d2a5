// SPDX-License-Identifier: Apache-2.0
// HDF5's shuffle: bytes of equal significance side by side. Sixteen values at a time in registers.
#include <cstring>
#include <utility>

#include "codec/codec.hpp"

namespace thalweg {

namespace {

typedef unsigned char Bytes __attribute__((vector_size(16)));  // 16 bytes, one SSE register

/// low = a0 b0 a1 b1 .. a7 b7, high = the same of the upper halves.
void interleave(const Bytes& a, const Bytes& b, Bytes& low, Bytes& high) {
#if defined(__clang__)
  low = __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  high =
      __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
#else  // GCC before 12 knows only this form
  low = __builtin_shuffle(a, b, Bytes{0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23});
  high =
      __builtin_shuffle(a, b, Bytes{8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31});
#endif
}

/// Number the 16 * count bytes in binary: one round moves the top bit of each number to the bottom.
template <int count, int rounds>
void rotate(Bytes (&registers)[count]) {
  Bytes other[count];
  Bytes *from = registers, *to = other;
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < count / 2; ++i)
      interleave(from[i], from[i + count / 2], to[2 * i], to[2 * i + 1]);
    std::swap(from, to);
  }
  if (from != registers) std::memcpy(registers, from, sizeof registers);
}

/// A byte of 16 values of `width` bytes has the number (value: 4 bits, byte: log2(width) bits).
/// Shuffled it is (byte, value): four rounds. Back: log2(width) rounds.
template <int width>
void shuffle_by_sixteen(const std::byte* from, std::size_t values, std::byte* into) {
  std::size_t i = 0;
  for (; i + 16 <= values; i += 16) {
    Bytes registers[width];
    std::memcpy(registers, from + width * i, sizeof registers);
    rotate<width, 4>(registers);
    for (std::size_t byte = 0; byte < width; ++byte)
      std::memcpy(into + byte * values + i, &registers[byte], sizeof(Bytes));
  }
  for (; i < values; ++i)
    for (std::size_t byte = 0; byte < width; ++byte)
      into[byte * values + i] = from[width * i + byte];
}

template <int width, int log2_width>
void unshuffle_by_sixteen(const std::byte* from, std::size_t values, std::byte* into) {
  std::size_t i = 0;
  for (; i + 16 <= values; i += 16) {
    Bytes registers[width];
    for (std::size_t byte = 0; byte < width; ++byte)
      std::memcpy(&registers[byte], from + byte * values + i, sizeof(Bytes));
    rotate<width, log2_width>(registers);
    std::memcpy(into + width * i, registers, sizeof registers);
  }
  for (; i < values; ++i)
    for (std::size_t byte = 0; byte < width; ++byte)
      into[width * i + byte] = from[byte * values + i];
}

}  // namespace

void shuffle(std::span<const std::byte> from, int value_bytes, std::span<std::byte> into) {
  if (from.empty()) return;
  const std::size_t width = value_bytes;
  const std::size_t values = from.size() / width;
  if (width == 4) return shuffle_by_sixteen<4>(from.data(), values, into.data());
  if (width == 8) return shuffle_by_sixteen<8>(from.data(), values, into.data());
  for (std::size_t i = 0; i < values; ++i)
    for (std::size_t byte = 0; byte < width; ++byte)
      into[byte * values + i] = from[width * i + byte];
}

void unshuffle(std::span<const std::byte> from, int value_bytes, std::span<std::byte> into) {
  if (from.empty()) return;
  const std::size_t width = value_bytes;
  const std::size_t values = from.size() / width;
  if (width == 4) return unshuffle_by_sixteen<4, 2>(from.data(), values, into.data());
  if (width == 8) return unshuffle_by_sixteen<8, 3>(from.data(), values, into.data());
  for (std::size_t i = 0; i < values; ++i)
    for (std::size_t byte = 0; byte < width; ++byte)
      into[width * i + byte] = from[byte * values + i];
}

}  // namespace thalweg
