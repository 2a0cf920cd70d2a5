// SPDX-License-Identifier: Apache-2.0
// From the index lists of many ranks to one plan: which piece of whose array goes where in global
// order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "thalweg/grid.hpp"

namespace thalweg {

/// `length` consecutive points: local indices from `local`, global indices from `global`.
struct IndexRun {
  std::int64_t global;
  std::int64_t local;
  std::int64_t length;
};

/// Compresses global indices (position = local index), in any order, into runs that ascend in
/// `global`. Throws Error(user) if an index stands twice.
std::vector<IndexRun> make_runs(std::span<const std::int64_t> global);

/// A run together with the source that holds it.
struct PlanRun {
  std::int64_t global;
  std::int64_t local;
  std::int64_t length;
  int source;
};

/// The redistribution of one place: sources' local orders -> global order. Made once, from runs
/// only: O(runs), never point by point.
class Plan {
 public:
  Plan() = default;
  /// runs[source], in any order. Together they must cover [0, global_size) exactly once; otherwise
  /// throws Error(user) naming the first gap or overlap.
  Plan(std::int64_t global_size, std::span<const std::vector<IndexRun>> runs);

  std::int64_t global_size() const { return global_size_; }
  std::span<const PlanRun> runs() const { return runs_; }           ///< ascending in `global`
  std::span<const std::int64_t> points() const { return points_; }  ///< [source] points it holds
  int sources() const { return static_cast<int>(points_.size()); }
  /// The run that holds a global index.
  const PlanRun& find(std::int64_t global) const;

 private:
  std::int64_t global_size_ = 0;
  std::vector<PlanRun> runs_;
  std::vector<std::int64_t> points_;
};

/// Index runs of one rank's owned points, by place: ascending in `global`; `local` counts the owned
/// points in the model's order.
using OwnedRuns = PerPlace<std::vector<IndexRun>>;

}  // namespace thalweg
