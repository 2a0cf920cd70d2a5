// SPDX-License-Identifier: Apache-2.0
// Builds redistribution plans by sorting the runs of all sources.
#include "redist/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "thalweg/error.hpp"

namespace thalweg {

std::vector<IndexRun> make_runs(std::span<const std::int64_t> global) {
  std::vector<IndexRun> runs;
  for (std::size_t local = 0; local < global.size(); ++local) {
    if (!runs.empty() && runs.back().global + runs.back().length == global[local]) {
      ++runs.back().length;
    } else {
      runs.push_back({global[local], static_cast<std::int64_t>(local), 1});
    }
  }
  const auto before = [](const IndexRun& a, const IndexRun& b) { return a.global < b.global; };
  if (!std::is_sorted(runs.begin(), runs.end(), before)) {
    std::sort(runs.begin(), runs.end(), before);
  }
  for (std::size_t run = 1; run < runs.size(); ++run) {
    const auto& last = runs[run - 1];
    if (runs[run].global < last.global + last.length) {
      throw Error(
          Blame::user,
          fmt::format("global index {} stands twice in the list of owned points (counted from 0)",
                      runs[run].global));
    }
  }
  return runs;
}

namespace {

// Sorts runs of [0, size) by global index. They cover it about evenly, so they are dealt to as many
// equal stretches as there are runs, and the few of one stretch are sorted among themselves: the
// time is proportional to the number of runs, whatever the number of sources.
std::vector<PlanRun> sorted(std::int64_t size, std::span<const std::vector<IndexRun>> runs,
                            std::size_t total) {
  int shift = 0;  // a stretch has 2^shift points
  while ((size >> shift) > static_cast<std::int64_t>(total)) ++shift;
  std::vector<std::size_t> next((size >> shift) + 2, 0);
  const auto stretch = [shift](const IndexRun& run) { return run.global >> shift; };
  for (const auto& list : runs) {
    for (const auto& run : list) ++next[stretch(run) + 1];
  }
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<PlanRun> result(total);
  for (std::size_t source = 0; source < runs.size(); ++source) {
    for (const auto& run : runs[source]) {
      result[next[stretch(run)]++] = {run.global, run.local, run.length, static_cast<int>(source)};
    }
  }
  // next[s] has moved to the end of stretch s.
  auto begin = result.begin();
  for (const auto end_of : next) {
    const auto end = result.begin() + end_of;
    if (end - begin > 1) {
      std::sort(begin, end, [](const PlanRun& a, const PlanRun& b) { return a.global < b.global; });
    }
    begin = end;
  }
  return result;
}

}  // namespace

Plan::Plan(std::int64_t global_size, std::span<const std::vector<IndexRun>> runs)
    : global_size_(global_size) {
  std::size_t total = 0;
  for (const auto& list : runs) {
    points_.push_back(0);
    for (const auto& run : list) {
      points_.back() += run.length;
      if (run.global < 0 || run.global + run.length > global_size) {
        throw Error(Blame::user,
                    fmt::format("point {} is owned, but the place has points 0 to {}",
                                run.global < 0 ? run.global : run.global + run.length - 1,
                                global_size - 1));
      }
    }
    total += list.size();
  }
  runs_ = sorted(global_size, runs, total);
  std::int64_t expected = 0;
  const auto expect = [&](std::int64_t global) {
    if (global > expected) {
      throw Error(Blame::user, fmt::format("points {} to {} are owned by no rank (counted from 0)",
                                           expected, global - 1));
    }
    if (global < expected) {
      throw Error(Blame::user,
                  fmt::format("point {} is owned by more than one rank (counted from 0)", global));
    }
  };
  for (const auto& run : runs_) {
    expect(run.global);
    expected += run.length;
  }
  expect(global_size);
}

const PlanRun& Plan::find(std::int64_t global) const {
  const auto after =
      std::upper_bound(runs_.begin(), runs_.end(), global,
                       [](std::int64_t index, const PlanRun& run) { return index < run.global; });
  return *std::prev(after);
}

}  // namespace thalweg
