// SPDX-License-Identifier: Apache-2.0
// What a field is called and where it lives, and a view of its values that owns nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "thalweg/grid.hpp"

namespace thalweg {

/// Type of a field's values in the model's memory. Integers travel and are written as they are; a
/// stream's precision applies to reals only.
enum class ValueType { float64, float32, int32, int64 };
/// One T for each type of value.
template <typename T>
using PerType = EnumArray<ValueType, T, 4>;
inline constexpr PerType<const char*> value_type_names{"float64", "float32", "int32", "int64"};
inline constexpr bool is_integer(ValueType type) {
  return type == ValueType::int32 || type == ValueType::int64;
}
inline constexpr std::size_t bytes_of(ValueType type) {
  return type == ValueType::float64 || type == ValueType::int64 ? 8 : 4;
}

/// Description of a field, with CF names where they exist ("" where not).
struct FieldInfo {
  std::string name;           ///< short name, the netCDF variable
  std::string standard_name;  ///< CF standard name or ""
  std::string long_name;
  std::string units;  ///< UDUNITS, e.g. "m s-1"
  Place place = Place::cell;
  int levels = 1;                       ///< 1 = two-dimensional
  ValueType type = ValueType::float64;  ///< of the views that will be put
  double height_m = 0.0;     ///< > 0: a two-dimensional field at this height above the ground
  bool on_request = false;   ///< written by streams that name it; "all" and groups leave it out
  bool half_levels = false;  ///< its levels are the faces of layers, one more than there are layers
};

/// Values of this rank's points of one field, in the model's own layout. Owns nothing.
/// value(point, level) = values[point * point_stride + level * level_stride], counted in values.
/// ICON's blocked layout (nproma, levels, blocks): with block_points = nproma > 0,
/// value(point, level) = values[(point % block_points) * point_stride + level * level_stride
///                              + (point / block_points) * block_stride].
/// `point` is the position of a point in the model's array (see OwnedPoints::positions).
/// The values may lie on a CUDA device: they are copied to the host when they are put or written,
/// with all that lies between the first and the last, after what was given to the default stream.
struct FieldView {
  const void* values = nullptr;
  std::ptrdiff_t point_stride = 1;
  std::ptrdiff_t level_stride = 0;
  ValueType type = ValueType::float64;
  std::int64_t block_points = 0;  ///< 0 = not blocked
  std::ptrdiff_t block_stride = 0;
};

}  // namespace thalweg
