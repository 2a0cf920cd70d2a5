// SPDX-License-Identifier: Apache-2.0
// Writes deflate (RFC 1951) bit by bit: stored bytes, and literals and matches in the fixed code.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace thalweg {

/// A code word, least significant bit first.
struct CodeWord {
  std::uint32_t bits;
  int length;
};

constexpr CodeWord reversed(std::uint32_t code, int length) {
  std::uint32_t bits = 0;
  for (int i = 0; i < length; ++i) bits |= (code >> i & 1U) << (length - 1 - i);
  return {bits, length};
}

/// RFC 1951, 3.2.6: the fixed code of literals, end of block and lengths.
constexpr CodeWord fixed_code(unsigned symbol) {
  if (symbol < 144) return reversed(0x30 + symbol, 8);
  if (symbol < 256) return reversed(0x190 + symbol - 144, 9);
  if (symbol < 280) return reversed(symbol - 256, 7);
  return reversed(0xC0 + symbol - 280, 8);
}

/// RFC 1951, 3.2.5: symbol and extra bits of a length (3 to 258), and of a distance (1 to 32768).
constexpr CodeWord fixed_length_code(unsigned length) {
  if (length == 258) return fixed_code(285);
  const unsigned from = length - 3;
  const int extra = from < 8 ? 0 : std::bit_width(from) - 3;
  const auto high = from >> extra;  // 4 to 7 where there are extra bits
  const auto word = fixed_code(257 + static_cast<unsigned>(4 * extra) + high);
  const auto rest = from & ((1U << extra) - 1U);
  return {word.bits | rest << word.length, word.length + extra};
}
constexpr CodeWord fixed_distance_code(unsigned distance) {
  const unsigned from = distance - 1;
  const int extra = from < 4 ? 0 : std::bit_width(from) - 2;
  const auto word = reversed(static_cast<unsigned>(2 * extra) + (from >> extra), 5);
  const auto rest = from & ((1U << extra) - 1U);
  return {word.bits | rest << 5, 5 + extra};
}

/// Appends to `into`, which must have room: nothing is checked.
class DeflateBits {
 public:
  explicit DeflateBits(std::byte* into) : next_(into) {}

  void literal(std::byte value) {
    static constexpr auto codes = [] {
      std::array<CodeWord, 256> table{};
      for (unsigned i = 0; i < 256; ++i) table[i] = fixed_code(i);
      return table;
    }();
    open_fixed();
    put(codes[std::to_integer<std::size_t>(value)]);
  }

  void match(std::size_t length, std::size_t distance) {
    static constexpr auto codes = [] {
      std::array<CodeWord, 259> table{};
      for (unsigned i = 3; i < 259; ++i) table[i] = fixed_length_code(i);
      return table;
    }();
    open_fixed();
    const auto far = fixed_distance_code(static_cast<unsigned>(distance));
    while (length > 0) {
      std::size_t part = length < 258 ? length : 258;
      if (length - part == 1 || length - part == 2) part = length - 3;  // nothing shorter than 3
      put(codes[part]);
      put(far);
      length -= part;
    }
  }

  /// Blocks of bytes as they are; ends on a whole byte.
  void stored(const std::byte* from, std::size_t size) {
    close_fixed();
    do {
      const std::size_t part = size < 65535 ? size : 65535;
      put({0, 3});
      to_whole_byte();
      const auto length = static_cast<std::uint16_t>(part);
      const std::uint16_t header[] = {length, static_cast<std::uint16_t>(~length)};
      std::memcpy(next_, header, 4);  // little-endian, as this program's machines are
      if (part > 0) std::memcpy(next_ + 4, from, part);
      next_ += 4 + part, from += part, size -= part;
    } while (size > 0);
  }

  /// The next free byte, after everything so far.
  std::byte* aligned() {
    if (fixed_ || count_ > 0) stored(nullptr, 0);
    return next_;
  }
  /// Someone else wrote whole blocks up to here.
  void continue_at(std::byte* next) { next_ = next; }

  /// An empty last block; returns the end.
  std::byte* finish() {
    close_fixed();
    put({3, 3});
    put(fixed_code(256));
    to_whole_byte();
    return next_;
  }

 private:
  void put(CodeWord word) {
    bits_ |= static_cast<std::uint64_t>(word.bits) << count_;
    count_ += word.length;
    while (count_ >= 32) {
      const auto low = static_cast<std::uint32_t>(bits_);
      std::memcpy(next_, &low, 4);
      next_ += 4, bits_ >>= 32U, count_ -= 32;
    }
  }
  void to_whole_byte() {
    for (; count_ > 0; count_ -= 8, bits_ >>= 8U) *next_++ = static_cast<std::byte>(bits_);
    bits_ = 0, count_ = 0;
  }
  void open_fixed() {
    if (!fixed_) put({2, 3});
    fixed_ = true;
  }
  void close_fixed() {
    if (fixed_) put(fixed_code(256));
    fixed_ = false;
  }

  std::byte* next_;
  std::uint64_t bits_ = 0;
  int count_ = 0;       // of valid bits in bits_, below 32
  bool fixed_ = false;  // inside a block of the fixed code
};

}  // namespace thalweg
