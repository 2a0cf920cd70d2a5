// SPDX-License-Identifier: Apache-2.0
// Splits rectangles of points into pieces of constant stride, then copies them as wide as they are.
#include "redist/view_access.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "thalweg/error.hpp"

namespace thalweg {

namespace {

/// Calls act(offset of the first point in values, first packed point, points) for pieces of
/// [first, first + count) whose points are point_stride apart.
template <class Act>
void for_pieces(const Addressing& where, std::int64_t first, std::int64_t count, const Act& act) {
  auto stretch = std::upper_bound(
      where.stretches.begin(), where.stretches.end(), first,
      [](std::int64_t point, const Stretch& each) { return point < each.packed + each.length; });
  for (const auto end = first + count; first < end; ++stretch) {
    auto position = stretch->position + first - stretch->packed;
    auto left = std::min(stretch->packed + stretch->length, end) - first;
    while (left > 0) {
      std::ptrdiff_t offset = position * where.point_stride;
      auto points = left;
      if (where.block_points > 0) {
        const auto block = position / where.block_points, in_block = position % where.block_points;
        offset = in_block * where.point_stride + block * where.block_stride;
        points = std::min(left, where.block_points - in_block);
      }
      act(offset, first, points);
      first += points;
      position += points;
      left -= points;
    }
  }
}

/// copy(offset in values, packed index, values, stride in values) for lines of constant stride.
template <class Copy>
void for_lines(const Addressing& where, ArrayOrder order, const Rectangle& rectangle,
               const Copy& copy) {
  const std::int64_t levels = rectangle.levels;
  for_pieces(where, rectangle.first_point, rectangle.points,
             [&](std::ptrdiff_t offset, std::int64_t point, std::int64_t points) {
               offset += rectangle.first_level * where.level_stride;
               point -= rectangle.first_point;
               if (order == ArrayOrder::point_innermost || levels == 1) {
                 for (std::int64_t level = 0; level < levels; ++level) {
                   copy(offset + level * where.level_stride, level * rectangle.points + point,
                        points, where.point_stride);
                 }
               } else if (where.level_stride == 1 && where.point_stride == levels) {
                 copy(offset, point * levels, points * levels, std::ptrdiff_t{1});
               } else {
                 for (std::int64_t next = 0; next < points; ++next) {
                   copy(offset + next * where.point_stride, (point + next) * levels, levels,
                        where.level_stride);
                 }
               }
             });
}

// Values are moved as bytes of a known number: what they mean does not matter here.
template <std::size_t size>
void copy_line(const std::byte* from, std::ptrdiff_t from_stride, std::byte* to,
               std::ptrdiff_t to_stride, std::int64_t count) {
  if (from_stride == 1 && to_stride == 1) {
    std::memcpy(to, from, count * size);
    return;
  }
  constexpr std::ptrdiff_t width = size;
  for (std::int64_t i = 0; i < count; ++i) {
    std::memcpy(to + i * to_stride * width, from + i * from_stride * width, size);
  }
}

template <std::size_t size>
void gather_values(const std::byte* values, const Addressing& where, ArrayOrder order,
                   const Rectangle& rectangle, std::byte* packed) {
  constexpr std::ptrdiff_t width = size;
  for_lines(
      where, order, rectangle,
      [&](std::ptrdiff_t offset, std::int64_t index, std::int64_t count, std::ptrdiff_t stride) {
        copy_line<size>(values + offset * width, stride, packed + index * width, 1, count);
      });
}

template <std::size_t size>
void scatter_values(const std::byte* packed, const Addressing& where, ArrayOrder order,
                    const Rectangle& rectangle, std::byte* values) {
  constexpr std::ptrdiff_t width = size;
  for_lines(
      where, order, rectangle,
      [&](std::ptrdiff_t offset, std::int64_t index, std::int64_t count, std::ptrdiff_t stride) {
        copy_line<size>(packed + index * width, 1, values + offset * width, stride, count);
      });
}

}  // namespace

std::vector<Stretch> make_stretches(std::int64_t points, std::span<const std::int64_t> positions) {
  std::vector<Stretch> stretches;
  if (positions.empty() && points > 0) stretches.push_back({0, 0, points});
  for (std::size_t point = 0; point < positions.size(); ++point) {
    if (!stretches.empty() &&
        stretches.back().position + stretches.back().length == positions[point]) {
      ++stretches.back().length;
    } else {
      stretches.push_back({static_cast<std::int64_t>(point), positions[point], 1});
    }
  }
  return stretches;
}

void require_distinct(Place place, std::span<const std::int64_t> positions) {
  auto stretches = make_stretches(static_cast<std::int64_t>(positions.size()), positions);
  const auto before = [](const Stretch& a, const Stretch& b) { return a.position < b.position; };
  if (!std::is_sorted(stretches.begin(), stretches.end(), before))
    std::sort(stretches.begin(), stretches.end(), before);
  for (std::size_t next = 1; next < stretches.size(); ++next) {
    const auto& last = stretches[next - 1];
    if (stretches[next].position >= last.position + last.length) continue;
    throw Error(Blame::user,
                fmt::format("place '{}': position {} is given to two points (counted from 0)",
                            place_names[place], stretches[next].position));
  }
}

std::string fault_of_view(const void* values, ValueType type, const Addressing& where,
                          const FieldInfo& field, std::int64_t points,
                          std::span<const std::int64_t> positions) {
  if (type != field.type) return "with values of another type than defined";
  if (points == 0) return "";
  if (values == nullptr) return "without values";
  if (where.block_points < 0) {
    return fmt::format("in blocks of {} points; blocks have at least 1, and 0 means none",
                       where.block_points);
  }
  const bool blocked = where.block_points > 0;
  const auto in_block = blocked ? std::min(points, where.block_points) : points;
  constexpr const char* one_place = "with {} = 0, but it has {} {}: they would be one value";
  if (in_block > 1 && where.point_stride == 0)
    return fmt::format(fmt::runtime(one_place), "point_stride", points, "points");
  if (field.levels > 1 && where.level_stride == 0)
    return fmt::format(fmt::runtime(one_place), "level_stride", field.levels, "levels");
  if (blocked && where.block_stride == 0) {
    const auto last = std::max_element(positions.begin(), positions.end());
    const auto room = last == positions.end() ? points : *last + 1;
    if (room > where.block_points)
      return fmt::format(fmt::runtime(one_place), "block_stride", room, "points");
  }
  return "";
}

ArrayOrder natural_order(const Addressing& where) {
  if (where.levels == 1) return ArrayOrder::level_innermost;
  return std::abs(where.level_stride) <= std::abs(where.point_stride) ? ArrayOrder::level_innermost
                                                                      : ArrayOrder::point_innermost;
}

const std::byte* in_place(const void* values, const Addressing& where, ArrayOrder order,
                          const Rectangle& rectangle) {
  if (rectangle.points == 0) return nullptr;
  std::ptrdiff_t first = 0;
  std::int64_t pieces = 0;
  for_pieces(where, rectangle.first_point, rectangle.points,
             [&](std::ptrdiff_t offset, std::int64_t, std::int64_t) {
               if (pieces++ == 0) first = offset + rectangle.first_level * where.level_stride;
             });
  bool packed = pieces == 1;
  if (rectangle.levels == 1) {
    packed = packed && (where.point_stride == 1 || rectangle.points == 1);
  } else if (order == ArrayOrder::level_innermost) {
    packed = packed && where.level_stride == 1 && where.point_stride == rectangle.levels;
  } else {
    packed = packed && where.point_stride == 1 && where.level_stride == rectangle.points;
  }
  if (!packed) return nullptr;
  return static_cast<const std::byte*>(values) +
         first * static_cast<std::ptrdiff_t>(where.value_bytes);
}

void gather(const void* values, const Addressing& where, ArrayOrder order,
            const Rectangle& rectangle, void* packed) {
  const auto* from = static_cast<const std::byte*>(values);
  auto* to = static_cast<std::byte*>(packed);
  where.value_bytes == 8 ? gather_values<8>(from, where, order, rectangle, to)
                         : gather_values<4>(from, where, order, rectangle, to);
}

void scatter(const void* packed, const Addressing& where, ArrayOrder order,
             const Rectangle& rectangle, void* values) {
  const auto* from = static_cast<const std::byte*>(packed);
  auto* to = static_cast<std::byte*>(values);
  where.value_bytes == 8 ? scatter_values<8>(from, where, order, rectangle, to)
                         : scatter_values<4>(from, where, order, rectangle, to);
}

}  // namespace thalweg
