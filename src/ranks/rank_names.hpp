// SPDX-License-Identifier: Apache-2.0
// Ranks in a sentence.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace thalweg {

/// "a, b and 3 more": at most so many of them.
std::string short_list(std::vector<std::string> names, std::size_t most);
/// "rank 1", "ranks 1, 2 and 3 more": at most eight.
std::string rank_names(std::span<const int> ranks);

}  // namespace thalweg
