// SPDX-License-Identifier: Apache-2.0
// Where values repeat: after the shuffle every byte plane repeats there too, at the same distance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace thalweg {

/// `length` values at `first` are bit for bit those at `first - distance`.
struct ValueMatch {
  std::size_t first, length, distance;
};

/// Some of the longer matches, in order and apart; distances of at most 32768, deflate's window.
/// value_bytes is 4 or 8.
void find_value_matches(std::span<const std::byte> values, int value_bytes,
                        std::vector<ValueMatch>& into);

}  // namespace thalweg
