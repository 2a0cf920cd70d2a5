// SPDX-License-Identifier: Apache-2.0
// Where the values of a field lie in a model's memory: strides, blocks, positions; gathered into
// packed order and scattered back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "redist/reorder.hpp"
#include "thalweg/field.hpp"

namespace thalweg {

/// `length` points that follow each other both in packed order and in the model's array.
struct Stretch {
  std::int64_t packed;
  std::int64_t position;
  std::int64_t length;
};

/// Positions of owned points (OwnedPoints::positions) as stretches; empty = 0 ... points - 1.
std::vector<Stretch> make_stretches(std::int64_t points, std::span<const std::int64_t> positions);
/// Throws Error(user), naming the position, if two points have the same: one of them would have the
/// other's values. O(points) where positions ascend.
void require_distinct(Place place, std::span<const std::int64_t> positions);

/// The addressing of FieldView and MutableFieldView, without the values. Owns nothing.
struct Addressing {
  std::ptrdiff_t point_stride = 1, level_stride = 0;  ///< in values
  std::int64_t block_points = 0;                      ///< 0 = not blocked
  std::ptrdiff_t block_stride = 0;
  std::size_t value_bytes = sizeof(double);
  int levels = 1;
  std::span<const Stretch> stretches;

  std::int64_t points() const {
    return stretches.empty() ? 0 : stretches.back().packed + stretches.back().length;
  }
};

template <class View>
Addressing addressing_of(const View& view, int levels, std::span<const Stretch> stretches) {
  return {view.point_stride, view.level_stride,   view.block_points,
          view.block_stride, bytes_of(view.type), levels,
          stretches};
}

/// Why a view cannot hold `points` points of a field, as the end of a sentence: "" = it can.
/// `positions`: where these lie in it; empty: one after the other.
std::string fault_of_view(const void* values, ValueType type, const Addressing& where,
                          const FieldInfo& field, std::int64_t points,
                          std::span<const std::int64_t> positions);
template <class View>
std::string fault_of_view(const View& view, const FieldInfo& field, std::int64_t points,
                          std::span<const std::int64_t> positions = {}) {
  const auto where = addressing_of(view, field.levels, {});
  return fault_of_view(view.values, view.type, where, field, points, positions);
}

/// Some levels of some packed points of a field.
struct Rectangle {
  std::int64_t first_point = 0, points = 0;
  int first_level = 0, levels = 1;
};

/// The packed order in which the values are copied in the longest stretches.
ArrayOrder natural_order(const Addressing& where);

/// The rectangle's values where they lie, if they lie there in packed order; else null.
const std::byte* in_place(const void* values, const Addressing& where, ArrayOrder order,
                          const Rectangle& rectangle);

/// Copies a rectangle: packed[point * levels + level] (level_innermost) or
/// packed[level * points + point], with points and levels counted inside the rectangle.
void gather(const void* values, const Addressing& where, ArrayOrder order,
            const Rectangle& rectangle, void* packed);
/// The way back.
void scatter(const void* packed, const Addressing& where, ArrayOrder order,
             const Rectangle& rectangle, void* values);

}  // namespace thalweg
