// SPDX-License-Identifier: Apache-2.0
// Looks words up, and says which there are.
#include "base/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "thalweg/error.hpp"

namespace thalweg {

std::size_t number_of_word(std::string_view where, std::string_view key, std::string_view word,
                           std::span<const char* const> allowed) {
  const auto found = std::find(allowed.begin(), allowed.end(), word);
  if (found != allowed.end()) return found - allowed.begin();
  const std::vector<std::string> names(allowed.begin(), allowed.end());
  throw Error(Blame::user,
              fmt::format("{}: {} '{}' does not exist; choose one of: {}.{}", where, key, word,
                          fmt::join(names, ", "), did_you_mean(word, names)));
}

}  // namespace thalweg
