// SPDX-License-Identifier: Apache-2.0
// Finds repeated values with a table of the last place of each triple, as fast compressors do with
// bytes; looking at whole values it has an eighth of the work.
#include "codec/value_matches.hpp"

#include <array>
#include <cstring>
#include <limits>

namespace thalweg {

namespace {

constexpr std::size_t window = 32768;  // RFC 1951: the largest distance
constexpr std::size_t shortest = 3;    // RFC 1951: the shortest match, in bytes of one plane
constexpr int table_bits = 14;
// Where nothing repeats, look less often: one value further after so many misses.
constexpr std::size_t patience = 256;

template <class Value>
std::size_t slot_of(const Value* three) {
  const auto mixed = three[0] * 0x9E3779B97F4A7C15ULL ^ three[1] * 0xC2B2AE3D27D4EB4FULL ^
                     three[2] * 0x165667B19E3779F9ULL;
  return mixed >> (64 - table_bits);
}

template <class Value>
void find(const Value* values, std::size_t count, std::vector<ValueMatch>& into) {
  constexpr auto never = std::numeric_limits<std::uint32_t>::max();
  thread_local std::array<std::uint32_t, std::size_t{1} << table_bits> last;
  last.fill(never);
  std::size_t i = 0, misses = 0;
  while (i + shortest <= count) {
    auto& slot = last[slot_of(values + i)];
    const std::size_t before = slot;
    slot = static_cast<std::uint32_t>(i);
    if (before == never || i - before > window ||
        std::memcmp(values + before, values + i, shortest * sizeof(Value)) != 0) {
      i += 1 + misses++ / patience;
      continue;
    }
    std::size_t length = shortest;
    while (i + length < count && values[before + length] == values[i + length]) ++length;
    into.push_back({i, length, i - before});
    i += length;
    misses = 0;
  }
}

}  // namespace

void find_value_matches(std::span<const std::byte> values, int value_bytes,
                        std::vector<ValueMatch>& into) {
  into.clear();
  const auto count = values.size() / value_bytes;
  if (value_bytes == 4)
    find(reinterpret_cast<const std::uint32_t*>(values.data()), count, into);
  else
    find(reinterpret_cast<const std::uint64_t*>(values.data()), count, into);
}

}  // namespace thalweg
