// SPDX-License-Identifier: Apache-2.0
// Values of mesh variables for some points of a grid, computed slice by slice along the curve.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "field/mesh_variables.hpp"

namespace thalweg {

/// Values of one variable for `points` consecutive points from global index `first` on, `width`
/// each: one of the two vectors is filled.
struct MeshSlice {
  const MeshVariable* variable;
  std::int64_t first = 0, points = 0;
  std::vector<double> numbers;
  std::vector<long long> indices;  ///< global, 0-based
};

/// Calls `take` with the slices of every variable, which together cover the variable's points of
/// `part`; no slice is larger than some MB.
void compute_mesh_values(const Grid& grid, const GridPart& part,
                         std::span<const MeshVariable* const> variables, int halo_depth,
                         const std::function<void(const MeshSlice&)>& take);

/// The same in one slice per variable, kept for the next call if they are small enough; nullptr if
/// they are not. Computing them takes as long as writing some hundred values per cell.
std::shared_ptr<const std::vector<MeshSlice>> kept_mesh_values(
    const Grid& grid, const GridPart& part, std::span<const MeshVariable* const> variables,
    int halo_depth);

}  // namespace thalweg
