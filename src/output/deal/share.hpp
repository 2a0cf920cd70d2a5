// SPDX-License-Identifier: Apache-2.0
// The owned points of one rank that lie in a range of global indices, in the order they are staged.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "redist/plan.hpp"

namespace thalweg {

/// `length` consecutive points from `first`, in some numbering of a rank's points.
struct StagedRun {
  std::int64_t first, length;
};

struct Share {
  std::int64_t points = 0;
  std::vector<IndexRun> runs;    ///< global counted from the range's begin; local = staged position
  std::vector<StagedRun> owned;  ///< what is staged, in order, as positions among the owned points
};

/// Points of `runs` with global index in [first, first + points). They are staged in the order of
/// the model, so that a share of everything is staged as it lies.
Share share_of(std::span<const IndexRun> runs, std::int64_t first, std::int64_t points);

/// How many of them there are, without making the share.
std::int64_t points_in(std::span<const IndexRun> runs, std::int64_t first, std::int64_t points);

/// The same points as positions in the model's arrays: positions[owned point], or {} = the same.
std::vector<StagedRun> array_stretches(std::span<const StagedRun> owned,
                                       std::span<const std::int64_t> positions);

}  // namespace thalweg
