// SPDX-License-Identifier: Apache-2.0
// Executes a plan: arrays as they travelled -> a window of the field in global order, converted and
// byte-swapped on the way.
#pragma once

#include <cstdint>
#include <span>

#include "redist/plan.hpp"
#include "thalweg/field.hpp"

namespace thalweg {

/// Order of a travelling array of one source; `point` counts its points in the order of its runs.
enum class ArrayOrder : std::int64_t {
  level_innermost,  ///< values[point * levels + level]
  point_innermost,  ///< values[level * points + point]
};

/// An array as it came from one source. Owns nothing.
struct SourceArray {
  const void* values = nullptr;
  ValueType type = ValueType::float64;  ///< the same for all sources of a field
  ArrayOrder order = ArrayOrder::level_innermost;
};

/// Part of a field: levels [first_level, first_level + levels), points likewise.
struct ReorderWindow {
  int first_level = 0;
  int levels = 1;
  std::int64_t first_point = 0;
  std::int64_t points = 0;
};

/// out[(level - window.first_level) * window.points + (point - window.first_point)], converted from
/// From to To (both float or double, or the same integer) and then, if `swap`, byte-swapped. One
/// pass in blocks that fit the first-level cache. sources[s] belongs to the plan's source s and
/// holds `levels` levels. Throws Error(bug) if the window leaves the field or a source is not of
/// type From.
template <class From, class To>
void reorder(const Plan& plan, std::span<const SourceArray> sources, int levels,
             ReorderWindow window, bool swap, To* out);

/// The same with From as the sources say and To as `to` says.
void reorder(const Plan& plan, std::span<const SourceArray> sources, int levels,
             ReorderWindow window, bool swap, ValueType to, void* out);

}  // namespace thalweg
