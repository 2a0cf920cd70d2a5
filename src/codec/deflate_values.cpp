// SPDX-License-Identifier: Apache-2.0
// Shuffle and deflate in one: each byte plane of the values is packed in the way that pays for it.
//
// Floating-point fields have planes of two kinds. High bytes repeat and are few: ISA-L. Low bytes
// are noise: no code makes them smaller, only values that repeat as a whole do, and those are found
// once for all planes. Noise is stored as it is, which also makes reading fast.
#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>

#include "codec/codec_list.hpp"
#include "codec/deflate_bits.hpp"
#include "codec/value_matches.hpp"

namespace thalweg {

namespace {

// Measured on the mini-model's jet (R2B4, 30 levels), see bench/codec_bench.cpp.
constexpr std::size_t fewest_values = 1024;        // below, one ISA-L stream is as good
constexpr std::size_t segment_values = 1U << 17U;  // a plane's way is chosen anew after so many
constexpr std::size_t shortest_match = 8;          // values: shorter ones cost a new block each
constexpr std::size_t longest_coded_gap = 256;     // bytes between matches: longer ones are stored
constexpr double noise_bits = 7.845;               // of 8
constexpr double allowance = 0.02;                 // of a plane may be lost for speed

// A sample is worth its time: half of it for planes whose work is soon done.
constexpr std::size_t sample_pieces = 4, longest_piece = 1024, shortest_piece = 512,
                      look_piece = 256;
constexpr std::size_t large_plane = 32768;

/// A stretch of the values with its matches.
struct Segment {
  std::size_t first, count;
  std::vector<ValueMatch> matches;  // long ones, clipped to the segment
  std::size_t matched;              // values in matches of any length
  unsigned stored = 0;              // planes, a bit each
};

/// Calls gap(first, count) for the values before each match and after the last one, and match(m).
template <class Gap, class Match>
void walk(const Segment& segment, Gap gap, Match match) {
  std::size_t at = segment.first;
  for (const auto& m : segment.matches) {
    gap(at, m.first - at);
    match(m);
    at = m.first + m.length;
  }
  gap(at, segment.first + segment.count - at);
}

/// Bytes of one plane with stored gaps and matches in the fixed code.
double stored_bytes(const Segment& segment) {
  double bytes = 0;
  walk(
      segment,
      [&](std::size_t, std::size_t count) {
        const auto size = static_cast<double>(count);  // the fixed code: 8.44 bits a byte
        bytes += count > longest_coded_gap ? size + 7 : 1.055 * size;
      },
      [&](const ValueMatch& m) { bytes += 3.5 * static_cast<double>(m.length / 258 + 1); });
  return bytes;
}

/// Bytes of a plane outside the matches, from four places.
std::size_t take_sample(const std::byte* plane, const Segment& segment, std::size_t piece_bytes,
                        std::byte* sample) {
  std::size_t unmatched = 0;
  for (const auto& m : segment.matches) unmatched += m.length;
  unmatched = segment.count - unmatched;
  std::size_t taken = 0, seen = 0, piece = 0;
  walk(
      segment,
      [&](std::size_t first, std::size_t count) {
        const std::size_t end = seen + count;
        while (piece < sample_pieces) {
          const std::size_t start = piece * unmatched / sample_pieces;
          const std::size_t stop =
              std::min(start + piece_bytes, (piece + 1) * unmatched / sample_pieces);
          const auto from = std::max(start, seen), to = std::min(stop, end);
          if (from < to) {
            std::memcpy(sample + taken, plane + first + (from - seen), to - from);
            taken += to - from;
          }
          if (stop > end) break;
          ++piece;
        }
        seen = end;
      },
      [](const ValueMatch&) {});
  return taken;
}

/// Entropy in bits per byte of what the sample was taken from (Miller 1955: a sample has less).
double entropy(const std::byte* bytes, std::size_t size) {
  static const auto terms = [] {  // n log2 n
    std::array<double, sample_pieces * longest_piece + 1> table{};
    for (std::size_t n = 1; n < table.size(); ++n)
      table[n] = static_cast<double>(n) * std::log2(static_cast<double>(n));
    return table;
  }();
  std::array<std::uint16_t, 256> even{}, odd{};  // equal neighbours do not wait for each other
  for (std::size_t i = 0; i + 1 < size; i += 2) {
    ++even[std::to_integer<std::size_t>(bytes[i])];
    ++odd[std::to_integer<std::size_t>(bytes[i + 1])];
  }
  double sum = 0, seen = 0;
  for (std::size_t byte = 0; byte < even.size(); ++byte) {
    const std::size_t count = even[byte] + odd[byte];
    sum += terms[count];
    seen += count > 0 ? 1 : 0;
  }
  const auto all = static_cast<double>(size / 2 * 2);
  return std::log2(all) - sum / all + (seen - 1) / (2 * std::numbers::ln2 * all);
}

/// Do three bytes often come again? In noise of this size they hardly ever do.
bool repeats(const std::byte* bytes, std::size_t size) {
  constexpr unsigned bits = 10;
  std::array<std::uint16_t, 1U << bits> last{};
  std::size_t hits = 0;
  const auto three = [&](std::size_t i) {
    std::uint32_t four = 0;
    std::memcpy(&four, bytes + i, 4);
    return four << 8U;
  };
  for (std::size_t i = 0; i + 4 <= size; ++i) {
    auto& slot = last[three(i) * 0x9E3779B1U >> (32 - bits)];
    hits += slot > 0 && three(slot - 1U) == three(i) ? 1 : 0;
    slot = static_cast<std::uint16_t>(i + 1);
  }
  return hits > size / 100;
}

/// `look`: a short one.
bool is_noise(const std::byte* plane, const Segment& segment, bool look) {
  std::array<std::byte, sample_pieces * longest_piece> sample;
  const auto piece = look                          ? look_piece
                     : segment.count < large_plane ? shortest_piece
                                                   : longest_piece;
  const auto size = take_sample(plane, segment, piece, sample.data());
  if (size < sample_pieces * std::min(piece, shortest_piece)) return false;
  return entropy(sample.data(), size) > noise_bits && (look || !repeats(sample.data(), size));
}

/// The planes that are stored, a bit each. Bytes of less significance are noisier: below a plane of
/// noise a look is enough.
unsigned stored_planes(std::span<const std::byte> shuffled, std::size_t width,
                       const Segment& segment) {
  const auto size = static_cast<double>(segment.count);
  const auto all_matches = static_cast<double>(segment.matched);
  if (stored_bytes(segment) > size * (1 + allowance) - all_matches) return 0;
  unsigned planes = 0;
  bool noise = false;
  for (std::size_t byte = width; byte-- > 0;) {
    const auto* plane = shuffled.data() + byte * (shuffled.size() / width);
    noise = (noise && is_noise(plane, segment, true)) || is_noise(plane, segment, false);
    planes |= (noise ? 1U : 0U) << byte;
  }
  return planes;
}

void write_stored(const std::byte* plane, const Segment& segment, DeflateBits& bits) {
  walk(
      segment,
      [&](std::size_t first, std::size_t count) {
        if (count > longest_coded_gap) return bits.stored(plane + first, count);
        for (std::size_t i = first; i < first + count; ++i) bits.literal(plane[i]);
      },
      [&](const ValueMatch& m) { bits.match(m.length, m.distance); });
}

std::vector<Segment> divide(const std::vector<ValueMatch>& matches, std::size_t count) {
  std::vector<Segment> segments;
  auto next = matches.begin();
  std::size_t done = 0;  // of *next, in the segment before
  for (std::size_t first = 0; first < count; first += segment_values) {
    Segment segment{first, std::min(segment_values, count - first), {}, 0, 0};
    for (; next != matches.end() && next->first < first + segment.count; ++next, done = 0) {
      const auto start = next->first + done;
      const auto length = std::min(next->length - done, first + segment.count - start);
      segment.matched += length;
      if (length >= shortest_match) segment.matches.push_back({start, length, next->distance});
      done += length;
      if (done < next->length) break;  // goes on in the segment behind
    }
    segments.push_back(std::move(segment));
  }
  return segments;
}

}  // namespace

void deflate_compress_values(std::span<const std::byte> values, int value_bytes, int level,
                             PageBytes& into) {
  const std::size_t width = value_bytes;
  const auto count = values.size() / width;
  const auto shuffled = codec_scratch(Scratch::shuffled, values.size());
  shuffle(values, value_bytes, shuffled);
  if (level > 2 || count < fewest_values || (width != 4 && width != 8))
    return deflate_compress(shuffled, level, into);

  thread_local std::vector<ValueMatch> matches;
  find_value_matches(values, value_bytes, matches);
  auto segments = divide(matches, count);
  for (auto& segment : segments) segment.stored = stored_planes(shuffled, width, segment);
  // Fixed codes grow literals by an eighth at most, and matches shrink; segments add some bytes.
  const auto packed = codec_scratch(
      Scratch::packed, values.size() + values.size() / 8 + 64 * width * (segments.size() + 1));
  packed[0] = std::byte{0x78},
  packed[1] = std::byte{0x01};  // RFC 1950: deflate, window 32768, fast
  DeflateBits bits(packed.data() + 2);
  for (std::size_t byte = 0; byte < width; ++byte) {
    const std::byte* plane = shuffled.data() + byte * count;
    for (const auto& segment : segments) {
      if ((segment.stored >> byte & 1U) != 0) {
        write_stored(plane, segment, bits);
        continue;
      }
      std::byte* const start = bits.aligned();
      const std::span room(start, packed.data() + packed.size());
      bits.continue_at(start +
                       deflate_blocks({plane + segment.first, segment.count}, level + 1, room));
    }
  }
  std::byte* end = bits.finish();
  const auto* bytes = reinterpret_cast<const unsigned char*>(shuffled.data());
  const std::uint32_t checksum = isal_adler32(1, bytes, shuffled.size());
  for (const unsigned shift : {24U, 16U, 8U, 0U})
    *end++ = static_cast<std::byte>(checksum >> shift);
  into.insert(into.end(), packed.data(), end);
}

}  // namespace thalweg
