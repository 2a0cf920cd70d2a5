// SPDX-License-Identifier: Apache-2.0
// Finds the known name that was probably meant, for the "Did you mean ...?" of error sentences.
#include "thalweg/error.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace thalweg {

namespace {

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

/// Smallest number of letters to insert, delete, replace or swap with their neighbour to make `b`
/// of `a`; upper and lower case are the same letter (optimal string alignment, Damerau 1964).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  // previous[j] = distance of the first i-1 letters of a and the first j of b; before: i-2,
  // current: i.
  std::vector<std::size_t> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = previous[j - 1] + (same_letter(a[i - 1], b[j - 1]) ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replace});
      if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1])) {
        current[j] = std::min(current[j], before[j - 2] + 1);
      }
    }
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

}  // namespace

std::string closest_name(std::string_view wrong, const std::vector<std::string>& known) {
  std::string closest;
  std::size_t smallest = wrong.size() / 3 + 1;
  for (const std::string& name : known) {
    const std::size_t distance = edit_distance(wrong, name);
    if (distance < smallest) {
      smallest = distance;
      closest = name;
    }
  }
  return closest;
}

std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& known) {
  const std::string name = closest_name(wrong, known);
  return name.empty() ? "" : " Did you mean '" + name + "'?";
}

}  // namespace thalweg
