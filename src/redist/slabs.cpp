// SPDX-License-Identifier: Apache-2.0
// The shapes of slabs.
#include "redist/slabs.hpp"

#include <algorithm>

namespace thalweg {

std::vector<ReorderWindow> slabs_of(const ReorderWindow& whole, ArrayOrder order,
                                    std::int64_t value_bytes) {
  std::vector<ReorderWindow> slabs;
  if (whole.levels == 0 || whole.points == 0) return slabs;
  constexpr std::int64_t levels_of_columns = 16;
  const std::int64_t values = std::max<std::int64_t>(1, slab_bytes / value_bytes);
  const auto rows = std::max<std::int64_t>(
      order == ArrayOrder::point_innermost ? 1 : levels_of_columns, values / whole.points);
  const auto levels = std::min<std::int64_t>(whole.levels, rows);
  const auto points = std::clamp<std::int64_t>(values / levels, 1, whole.points);
  for (std::int64_t level = 0; level < whole.levels; level += levels) {
    for (std::int64_t point = 0; point < whole.points; point += points) {
      slabs.push_back({static_cast<int>(whole.first_level + level),
                       static_cast<int>(std::min(levels, whole.levels - level)),
                       whole.first_point + point, std::min(points, whole.points - point)});
    }
  }
  return slabs;
}

}  // namespace thalweg
