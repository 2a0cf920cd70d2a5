// SPDX-License-Identifier: Apache-2.0
// A merge that leaps over runs without a partner: most parts share nothing with a rank.
#include "restart/overlap.hpp"

#include <algorithm>

namespace thalweg {

namespace {

std::int64_t end_of(const IndexRun& run) { return run.global + run.length; }

/// The first run from `next` on that ends after `global`, found by doubling steps.
std::size_t leap(std::span<const IndexRun> runs, std::size_t next, std::int64_t global) {
  std::size_t step = 1, low = next;
  while (low + step < runs.size() && end_of(runs[low + step]) <= global) {
    low += step;
    step *= 2;
  }
  const auto first = runs.begin() + low;
  const auto last = runs.begin() + std::min(runs.size(), low + step + 1);
  return std::partition_point(first, last,
                              [&](const IndexRun& run) { return end_of(run) <= global; }) -
         runs.begin();
}

}  // namespace

std::vector<Overlap> find_overlaps(std::span<const IndexRun> part, std::span<const IndexRun> own) {
  std::vector<Overlap> overlaps;
  std::size_t i = 0, j = 0;
  while (i < part.size() && j < own.size()) {
    const auto begin = std::max(part[i].global, own[j].global);
    const auto end = std::min(end_of(part[i]), end_of(own[j]));
    if (begin < end) {
      overlaps.push_back({part[i].local + begin - part[i].global,
                          own[j].local + begin - own[j].global, end - begin});
      end_of(part[i]) == end ? ++i : ++j;
    } else if (end_of(part[i]) <= begin) {
      i = leap(part, i, begin);
    } else {
      j = leap(own, j, begin);
    }
  }
  std::sort(overlaps.begin(), overlaps.end(),
            [](const Overlap& a, const Overlap& b) { return a.packed < b.packed; });
  // Runs that were split by the other list's runs only: one again where both numbers go on.
  std::size_t kept = 0;
  for (const auto& each : overlaps) {
    if (kept > 0 && overlaps[kept - 1].packed + overlaps[kept - 1].length == each.packed &&
        overlaps[kept - 1].local + overlaps[kept - 1].length == each.local) {
      overlaps[kept - 1].length += each.length;
    } else {
      overlaps[kept++] = each;
    }
  }
  overlaps.resize(kept);
  return overlaps;
}

}  // namespace thalweg
