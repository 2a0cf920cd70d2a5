// SPDX-License-Identifier: Apache-2.0
// Finds the bytes that a view reaches, and copies them at once: many small copies cost more.
#include "redist/host_values.hpp"

#include <algorithm>

#include "base/device_memory.hpp"

namespace thalweg {

namespace {

struct Reach {  // in values
  std::ptrdiff_t first = 0, last = 0;
  void add(std::int64_t steps, std::ptrdiff_t stride) {
    (stride < 0 ? first : last) += steps * stride;
  }
};

Reach reach_of(const Addressing& where, std::int64_t positions) {
  Reach reach;
  const bool is_blocked = where.block_points > 0;
  reach.add((is_blocked ? std::min(positions, where.block_points) : positions) - 1,
            where.point_stride);
  if (is_blocked) reach.add((positions - 1) / where.block_points, where.block_stride);
  reach.add(where.levels - 1, where.level_stride);
  return reach;
}

}  // namespace

std::int64_t positions_reached(std::int64_t points, std::span<const std::int64_t> positions) {
  if (positions.empty()) return points;
  return *std::max_element(positions.begin(), positions.end()) + 1;
}

std::int64_t positions_reached(std::span<const Stretch> stretches) {
  std::int64_t reached = 0;
  for (const auto& each : stretches) reached = std::max(reached, each.position + each.length);
  return reached;
}

void* HostValues::of(void* values, const Addressing& where, std::int64_t positions) {
  device_ = nullptr;
  if (positions == 0 || !is_on_device(values)) return values;
  const auto reach = reach_of(where, positions);
  const auto width = static_cast<std::ptrdiff_t>(where.value_bytes);
  device_ = static_cast<std::byte*>(values) + reach.first * width;
  room_.resize((reach.last - reach.first + 1) * width);
  copy_from_device(room_.data(), device_, room_.size());
  return room_.data() - reach.first * width;
}

const void* HostValues::of(const void* values, const Addressing& where, std::int64_t positions) {
  return of(const_cast<void*>(values), where, positions);
}

void HostValues::give_back() const {
  if (device_ != nullptr) copy_to_device(device_, room_.data(), room_.size());
}

}  // namespace thalweg
