// SPDX-License-Identifier: Apache-2.0
// Finds the bytes that points take up, and copies them at once: many small copies cost more.
#include "redist/host_values.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/device_memory.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

namespace {

std::ptrdiff_t offset_of(const Addressing& where, std::int64_t position) {
  if (where.block_points == 0) return position * where.point_stride;
  return position % where.block_points * where.point_stride +
         position / where.block_points * where.block_stride;
}

struct Reach {  // in values
  std::ptrdiff_t first, last;
};

/// Of all positions from `first` to `last`, and of all levels.
Reach reach_of(const Addressing& where, std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> ends{first, last};
  if (where.block_points > 0) {
    // Of the first and the last block, and of whole ones between them.
    const auto size = where.block_points, begin = first / size, end = last / size;
    for (const auto block : {begin, begin + 1, end - 1, end}) {
      if (block < begin || block > end) continue;
      ends.push_back(std::max(first, block * size));
      ends.push_back(std::min(last, block * size + size - 1));
    }
  }
  Reach reach{offset_of(where, first), offset_of(where, first)};
  for (const auto position : ends) {
    reach.first = std::min(reach.first, offset_of(where, position));
    reach.last = std::max(reach.last, offset_of(where, position));
  }
  const std::ptrdiff_t levels = (where.levels - 1) * where.level_stride;
  (levels < 0 ? reach.first : reach.last) += levels;
  return reach;
}

std::ptrdiff_t bytes_to(const Addressing& where, std::int64_t position) {
  return offset_of(where, position) * static_cast<std::ptrdiff_t>(where.value_bytes);
}

/// `act`, with the name of the field in what it throws.
template <class Act>
void named(std::string_view field, const Act& act) {
  try {
    act();
  } catch (const Error& error) {
    throw Error(error.blame(), fmt::format("field '{}': {}", field, error.what()));
  }
}

}  // namespace

std::byte* HostValues::copied(void* values, const Addressing& where, std::int64_t first,
                              std::int64_t last) {
  const auto width = static_cast<std::ptrdiff_t>(where.value_bytes);
  const auto reach = reach_of(where, first, last);
  device_ = static_cast<std::byte*>(values) + reach.first * width;
  room_.resize((reach.last - reach.first + 1) * width);
  named(field_, [&] { copy_from_device(room_.data(), device_, room_.size()); });
  first_ = room_.data() - reach.first * width;
  return first_;
}

const void* HostValues::of(const void* values, const Addressing& where, std::int64_t points,
                           std::span<const std::int64_t> positions) {
  device_ = nullptr;
  const auto some = positions.empty() ? 0 : positions.front();
  if (points == 0 || !is_on_device(static_cast<const std::byte*>(values) + bytes_to(where, some)))
    return values;
  std::int64_t first = 0, last = points - 1;
  if (!positions.empty()) {
    const auto [least, most] = std::minmax_element(positions.begin(), positions.end());
    first = *least, last = *most;
  }
  return copied(const_cast<void*>(values), where, first, last);
}

void* HostValues::of(void* values, const Addressing& where) {
  device_ = nullptr;
  if (where.points() == 0) return values;
  const auto some = where.stretches.front().position;
  if (!is_on_device(static_cast<std::byte*>(values) + bytes_to(where, some))) return values;
  std::int64_t first = some, last = some;
  for (const auto& each : where.stretches) {
    first = std::min(first, each.position);
    last = std::max(last, each.position + each.length - 1);
  }
  return copied(values, where, first, last);
}

// Arrays of several fields may lie between each other: their copies may be older.
void HostValues::give_back(const Addressing& where) {
  if (device_ == nullptr) return;
  const auto order = natural_order(where);
  const Rectangle all{0, where.points(), 0, where.levels};
  std::vector<std::byte> own(all.points * all.levels * where.value_bytes);
  gather(first_, where, order, all, own.data());
  named(field_, [&] { copy_from_device(room_.data(), device_, room_.size()); });
  scatter(own.data(), where, order, all, first_);
  named(field_, [&] { copy_to_device(device_, room_.data(), room_.size()); });
}

}  // namespace thalweg
