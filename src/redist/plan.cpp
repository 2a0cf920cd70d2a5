// SPDX-License-Identifier: Apache-2.0
// Builds redistribution plans by merging the sorted runs of all sources.
#include "redist/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <queue>

#include "thalweg/error.hpp"

namespace thalweg {

std::vector<IndexRun> make_runs(std::span<const std::int64_t> global) {
  std::vector<IndexRun> runs;
  for (std::size_t local = 0; local < global.size(); ++local) {
    const auto index = global[local];
    if (local > 0 && index <= global[local - 1]) {
      throw Error(Blame::bug,
                  fmt::format("global indices of owned points must ascend, but {} follows "
                              "{} at local point {}",
                              index, global[local - 1], local));
    }
    if (!runs.empty() && runs.back().global + runs.back().length == index) {
      ++runs.back().length;
    } else {
      runs.push_back({index, static_cast<std::int64_t>(local), 1});
    }
  }
  return runs;
}

Plan::Plan(std::int64_t global_size, std::span<const std::vector<IndexRun>> runs)
    : global_size_(global_size) {
  struct Head {
    std::int64_t global;
    int source;
    std::size_t next;
  };
  const auto later = [](const Head& a, const Head& b) { return a.global > b.global; };
  std::priority_queue<Head, std::vector<Head>, decltype(later)> heads(later);
  std::size_t total = 0;
  for (std::size_t source = 0; source < runs.size(); ++source) {
    points_.push_back(0);
    for (const auto& run : runs[source]) points_.back() += run.length;
    total += runs[source].size();
    if (!runs[source].empty()) {
      heads.push({runs[source].front().global, static_cast<int>(source), 0});
    }
  }
  runs_.reserve(total);
  std::int64_t expected = 0;
  while (!heads.empty()) {
    const auto [global, source, next] = heads.top();
    heads.pop();
    const auto& list = runs[static_cast<std::size_t>(source)];
    if (global != expected) {
      throw Error(Blame::user,
                  global > expected
                      ? fmt::format("points {} to {} are owned by no rank", expected, global - 1)
                      : fmt::format("point {} is owned by more than one rank", global));
    }
    const auto& run = list[next];
    runs_.push_back({run.global, run.local, run.length, source});
    expected += run.length;
    if (next + 1 < list.size()) heads.push({list[next + 1].global, source, next + 1});
  }
  if (expected != global_size) {
    throw Error(Blame::user, fmt::format("the ranks own {} points, but the place has {}", expected,
                                         global_size));
  }
}

const PlanRun& Plan::find(std::int64_t global) const {
  const auto after =
      std::upper_bound(runs_.begin(), runs_.end(), global,
                       [](std::int64_t index, const PlanRun& run) { return index < run.global; });
  return *std::prev(after);
}

}  // namespace thalweg
