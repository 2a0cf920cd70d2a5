// SPDX-License-Identifier: Apache-2.0
// Clips runs to a range and numbers what is left in the order of the model.
#include "output/deal/share.hpp"

#include <algorithm>

namespace thalweg {

namespace {

// The part of a run inside [first, end), empty if length <= 0.
IndexRun clip(const IndexRun& run, std::int64_t first, std::int64_t end) {
  const auto begin = std::max(run.global, first);
  return {begin, run.local + begin - run.global, std::min(run.global + run.length, end) - begin};
}

}  // namespace

std::int64_t points_in(std::span<const IndexRun> runs, std::int64_t first, std::int64_t points) {
  std::int64_t count = 0;
  for (const auto& run : runs)
    count += std::max<std::int64_t>(0, clip(run, first, first + points).length);
  return count;
}

Share share_of(std::span<const IndexRun> runs, std::int64_t first, std::int64_t points) {
  Share share;
  for (const auto& run : runs) {
    const auto clipped = clip(run, first, first + points);
    if (clipped.length <= 0) continue;
    share.runs.push_back({clipped.global - first, clipped.local, clipped.length});
    share.points += clipped.length;
  }
  // Number what is left in the order of the owned points.
  std::vector<IndexRun*> by_local;
  for (auto& run : share.runs) by_local.push_back(&run);
  std::sort(by_local.begin(), by_local.end(),
            [](const IndexRun* a, const IndexRun* b) { return a->local < b->local; });
  std::int64_t staged = 0;
  for (auto* run : by_local) {
    auto& owned = share.owned;
    if (!owned.empty() && owned.back().first + owned.back().length == run->local) {
      owned.back().length += run->length;
    } else {
      owned.push_back({run->local, run->length});
    }
    run->local = staged;
    staged += run->length;
  }
  return share;
}

std::vector<StagedRun> array_stretches(std::span<const StagedRun> owned,
                                       std::span<const std::int64_t> positions) {
  if (positions.empty()) return {owned.begin(), owned.end()};
  std::vector<StagedRun> stretches;
  for (const auto& part : owned) {
    for (auto point = part.first; point < part.first + part.length; ++point) {
      const auto position = positions[point];
      if (!stretches.empty() && stretches.back().first + stretches.back().length == position) {
        ++stretches.back().length;
      } else {
        stretches.push_back({position, 1});
      }
    }
  }
  return stretches;
}

}  // namespace thalweg
