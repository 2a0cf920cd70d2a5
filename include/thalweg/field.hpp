// SPDX-License-Identifier: Apache-2.0
// What a field is called and where it lives, and a view of its values that owns nothing.
#pragma once

#include <cstddef>
#include <string>

#include "thalweg/grid.hpp"

namespace thalweg {

/// Description of a field, with CF names where they exist ("" where not).
struct FieldInfo {
  std::string name;           ///< short name, the netCDF variable
  std::string standard_name;  ///< CF standard name or ""
  std::string long_name;
  std::string units;  ///< UDUNITS, e.g. "m s-1"
  Place place = Place::cell;
  int levels = 1;  ///< 1 = two-dimensional
};

/// Values of this rank's owned points of one field, in the model's own layout. Owns nothing:
/// value(point, level) = values[point * point_stride + level * level_stride], point in [0, owned).
struct FieldView {
  const double* values = nullptr;
  std::ptrdiff_t point_stride = 1;
  std::ptrdiff_t level_stride = 0;
};

}  // namespace thalweg
