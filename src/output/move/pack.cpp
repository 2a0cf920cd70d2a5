// SPDX-License-Identifier: Apache-2.0
// Whole blocks are copied as they lie; only selections and odd strides are gathered value by value.
#include "output/move/pack.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "timing/trace_calls.hpp"

namespace thalweg {

namespace {

// `count` values at `stride`.
template <class Value>
void copy_values(const Value* from, std::ptrdiff_t stride, std::int64_t count, Value* into) {
  if (stride == 1) {
    std::memcpy(into, from, count * sizeof(Value));
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) into[i] = from[i * stride];
}

bool consecutive(std::span<const int> levels) {
  return levels.back() - levels.front() + 1 == std::ssize(levels);
}

// Columns: levels lie together in the model's memory.
template <class Value>
void pack_columns(const FieldView& view, const PackRequest& request, Value* into) {
  const auto* values = static_cast<const Value*>(view.values);
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
      const Value* column = values + point * view.point_stride;
      if (together) {
        copy_values(column + request.levels.front(), 1, count, into);
        into += count;
      } else {
        for (const int level : request.levels) *into++ = column[level];
      }
    }
  }
}

// Rows: for each level the points of all stretches, block by block where the model is blocked.
template <class Value>
void pack_rows(const FieldView& view, const PackRequest& request, Value* into) {
  for (const int level : request.levels) {
    const auto* row = static_cast<const Value*>(view.values) + level * view.level_stride;
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

template <class Value>
ArrayOrder pack_as(const FieldView& view, const PackRequest& request, std::byte* into) {
  auto* values = reinterpret_cast<Value*>(into);
  const bool columns =
      view.block_points == 0 && view.level_stride == 1 && request.levels.size() > 1;
  if (columns) {
    pack_columns(view, request, values);
    return ArrayOrder::level_innermost;
  }
  pack_rows(view, request, values);
  return ArrayOrder::point_innermost;
}

}  // namespace

ArrayOrder pack(const FieldView& view, const PackRequest& request, std::byte* into) {
  trace_calls("pack");
  switch (view.type) {
    case ValueType::float32:
      return pack_as<float>(view, request, into);
    case ValueType::int32:
      return pack_as<std::int32_t>(view, request, into);
    case ValueType::int64:
      return pack_as<std::int64_t>(view, request, into);
    case ValueType::float64:
      break;
  }
  return pack_as<double>(view, request, into);
}

}  // namespace thalweg
