// SPDX-License-Identifier: Apache-2.0
// Values of a model where the host can read them: where they are, or in a copy of a device's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "redist/view_access.hpp"

namespace thalweg {

/// Positions from 0 on that a view of these points reaches: 1 + the largest.
std::int64_t positions_reached(std::int64_t points, std::span<const std::int64_t> positions);
std::int64_t positions_reached(std::span<const Stretch> stretches);

/// For one field at a time; keeps its room.
class HostValues {
 public:
  /// `values`, or the first value of a copy in which `positions` lie as they do there. All that
  /// lies between the first and the last of them is copied.
  const void* of(const void* values, const Addressing& where, std::int64_t positions);
  /// The same to write into; what is there before stays where it is not written.
  void* of(void* values, const Addressing& where, std::int64_t positions);
  /// What was written into the copy, if there is one, goes back to the device.
  void give_back() const;

 private:
  std::vector<std::byte> room_;
  std::byte* device_ =
      nullptr;  // of the last values, where room_ begins; null: they are the host's
};

}  // namespace thalweg
