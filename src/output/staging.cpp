// SPDX-License-Identifier: Apache-2.0
// Whole blocks are copied as they lie; only selections and odd strides are gathered point by point.
#include "output/staging.hpp"

#include <cstring>

namespace thalweg {

ArrayOrder pack(const FieldView& view, std::int64_t owned, int model_levels,
                std::span<const int> levels, double* into) {
  const auto count = static_cast<std::int64_t>(levels.size());
  const bool whole = count == model_levels;
  if (whole && view.point_stride == count && (view.level_stride == 1 || count == 1)) {
    std::memcpy(into, view.values, static_cast<std::size_t>(owned * count) * sizeof(double));
    return ArrayOrder::level_innermost;
  }
  if (view.point_stride == 1) {
    for (std::int64_t level = 0; level < count; ++level) {
      std::memcpy(into + level * owned,
                  view.values + levels[static_cast<std::size_t>(level)] * view.level_stride,
                  static_cast<std::size_t>(owned) * sizeof(double));
    }
    return ArrayOrder::point_innermost;
  }
  for (std::int64_t point = 0; point < owned; ++point) {
    const double* column = view.values + point * view.point_stride;
    for (const int level : levels) *into++ = column[level * view.level_stride];
  }
  return ArrayOrder::level_innermost;
}

}  // namespace thalweg
