// SPDX-License-Identifier: Apache-2.0
// Words of settings become enums where they come in: a wrong one is refused there, not ignored
// where it is used.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace thalweg {

/// The number of a word among those that a setting allows; throws Error(user) with the list and
/// "did you mean". `where` begins the sentence, e.g. "[io]".
std::size_t number_of_word(std::string_view where, std::string_view key, std::string_view word,
                           std::span<const char* const> allowed);

/// The same as an enum whose values are 0, 1, ... in the order of `allowed`.
template <class Enum, std::size_t count>
Enum parse_word(std::string_view where, std::string_view key, std::string_view word,
                const std::array<const char*, count>& allowed) {
  return static_cast<Enum>(number_of_word(where, key, word, allowed));
}

}  // namespace thalweg
