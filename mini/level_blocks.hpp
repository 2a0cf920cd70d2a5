// SPDX-License-Identifier: Apache-2.0
// Runs a kernel's innermost loop in blocks of levels whose length the compiler knows.
#pragma once

#include <cstddef>
#include <type_traits>

namespace thalweg::mini {

/// Calls body(width, first) for blocks of levels [first, first + width) that cover [0, levels);
/// width is a std::integral_constant: 8 (one AVX-512 register of doubles, two of AVX2), or 1 where
/// there are fewer than 8 levels. The last block overlaps the one before instead of leaving a
/// remainder: bodies must give the same result when they are run twice for a level.
template <typename Body>
inline void for_level_blocks(std::size_t levels, const Body& body) {
  constexpr std::size_t width = 8;
  if (levels < width) {
    for (std::size_t l = 0; l < levels; ++l) body(std::integral_constant<int, 1>{}, l);
    return;
  }
  for (std::size_t l = 0; l + width <= levels; l += width)
    body(std::integral_constant<int, width>{}, l);
  if (levels % width != 0) body(std::integral_constant<int, width>{}, levels - width);
}

}  // namespace thalweg::mini
