// SPDX-License-Identifier: Apache-2.0
// Whole blocks are copied as they lie; only selections and odd strides are gathered value by value.
#include "output/staging.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace thalweg {

namespace {

// `count` values at `stride`, converted if the staged type is another one.
template <class From, class To>
void copy_values(const From* from, std::ptrdiff_t stride, std::int64_t count, To* into) {
  if constexpr (std::is_same_v<From, To>) {
    if (stride == 1) {
      std::memcpy(into, from, static_cast<std::size_t>(count) * sizeof(To));
      return;
    }
  }
  for (std::int64_t i = 0; i < count; ++i) into[i] = static_cast<To>(from[i * stride]);
}

bool consecutive(std::span<const int> levels) {
  return levels.back() - levels.front() + 1 == static_cast<std::ptrdiff_t>(levels.size());
}

// Columns: levels lie together in the model's memory.
template <class From, class To>
void pack_columns(const FieldView& view, const PackRequest& request, To* into) {
  const auto* values = static_cast<const From*>(view.values);
  const auto count = static_cast<std::int64_t>(request.levels.size());
  const bool together = consecutive(request.levels);
  const bool whole = together && count == request.model_levels && view.point_stride == count;
  for (const auto& [first, length] : request.stretches) {
    if (whole) {
      copy_values(values + first * count, 1, length * count, into);
      into += length * count;
      continue;
    }
    for (auto point = first; point < first + length; ++point) {
      const From* column = values + point * view.point_stride;
      if (together) {
        copy_values(column + request.levels.front(), 1, count, into);
        into += count;
      } else {
        for (const int level : request.levels) *into++ = static_cast<To>(column[level]);
      }
    }
  }
}

// Rows: for each level the points of all stretches, block by block where the model is blocked.
template <class From, class To>
void pack_rows(const FieldView& view, const PackRequest& request, To* into) {
  for (const int level : request.levels) {
    const auto* row = static_cast<const From*>(view.values) + level * view.level_stride;
    for (const auto& [first, length] : request.stretches) {
      if (view.block_points == 0) {
        copy_values(row + first * view.point_stride, view.point_stride, length, into);
        into += length;
        continue;
      }
      for (auto point = first; point < first + length;) {
        const auto block = point / view.block_points, lane = point % view.block_points;
        const auto count = std::min(view.block_points - lane, first + length - point);
        copy_values(row + block * view.block_stride + lane * view.point_stride, view.point_stride,
                    count, into);
        into += count;
        point += count;
      }
    }
  }
}

template <class From, class To>
ArrayOrder pack_as(const FieldView& view, const PackRequest& request, std::byte* into) {
  auto* values = reinterpret_cast<To*>(into);
  const bool columns =
      view.block_points == 0 && view.level_stride == 1 && request.levels.size() > 1;
  if (columns) {
    pack_columns<From, To>(view, request, values);
    return ArrayOrder::level_innermost;
  }
  pack_rows<From, To>(view, request, values);
  return ArrayOrder::point_innermost;
}

}  // namespace

ArrayOrder pack(const FieldView& view, const PackRequest& request, std::byte* into) {
  switch (view.type) {
    case ValueType::float32:
      return pack_as<float, float>(view, request, into);
    case ValueType::int32:
      return pack_as<std::int32_t, double>(view, request, into);
    case ValueType::float64:
      break;
  }
  return pack_as<double, double>(view, request, into);
}

}  // namespace thalweg
