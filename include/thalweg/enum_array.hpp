// SPDX-License-Identifier: Apache-2.0
// An array that has one value for each word of an enum.
#pragma once

#include <array>
#include <cstddef>

namespace thalweg {

/// A std::array whose index may also be a word: sizes[Place::edge] is sizes[1].
template <typename Enum, typename T, std::size_t words>
struct EnumArray : std::array<T, words> {
  using std::array<T, words>::operator[];
  constexpr T& operator[](Enum word) { return (*this)[static_cast<std::size_t>(word)]; }
  constexpr const T& operator[](Enum word) const { return (*this)[static_cast<std::size_t>(word)]; }
};

}  // namespace thalweg
