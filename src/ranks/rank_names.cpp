// SPDX-License-Identifier: Apache-2.0
#include "ranks/rank_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace thalweg {

std::string short_list(std::vector<std::string> names, std::size_t most) {
  const auto more = names.size() - std::min(names.size(), most);
  names.resize(names.size() - more);
  return fmt::format("{}{}", fmt::join(names, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

std::string rank_names(std::span<const int> ranks) {
  std::vector<std::string> names;
  for (const auto rank : ranks) names.push_back(fmt::format("{}", rank));
  return fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s", short_list(std::move(names), 8));
}

}  // namespace thalweg
