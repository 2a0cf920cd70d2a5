// SPDX-License-Identifier: Apache-2.0
// Executes a plan: arrays as they travelled -> one array in global order, converted on the way.
#pragma once

#include <cstdint>
#include <span>

#include "redist/plan.hpp"

namespace thalweg {

/// Order of a travelling array of one source.
enum class ArrayOrder : std::int64_t {
  level_innermost,  ///< values[point * levels + level]
  point_innermost,  ///< values[level * points + point]
};

/// An array as it came from one source: values of its points in local order.
struct SourceArray {
  const double* values;
  ArrayOrder order;
};

/// Writes global[level * plan.global_size() + index], converting to Real (float or double), in one
/// pass over blocks of points that fit the first-level cache. sources[s] belongs to the plan's
/// source s.
template <class Real>
void reorder(const Plan& plan, std::span<const SourceArray> sources, int levels, Real* global);

}  // namespace thalweg
