// SPDX-License-Identifier: Apache-2.0
// Values of a model where the host can read them: where they are, or in a copy of a device's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "redist/view_access.hpp"

namespace thalweg {

/// For one field at a time; keeps its room. Errors begin with the field's name.
class HostValues {
 public:
  HostValues& of_field(std::string_view name) { return field_ = name, *this; }
  /// `values`, or the first value of a copy in which all lie as they do there. Whatever lies
  /// between the first and the last value of the points is copied with them. positions: of `points`
  /// points; empty: 0 ... points - 1.
  const void* of(const void* values, const Addressing& where, std::int64_t points,
                 std::span<const std::int64_t> positions);
  /// The same for the points of `where`, to be read or written.
  void* of(void* values, const Addressing& where);
  /// What was written for the points of `where` goes to the device, if it is the device's; what
  /// lies between them stays as it is there by then.
  void give_back(const Addressing& where);

 private:
  std::byte* copied(void* values, const Addressing& where, std::int64_t first, std::int64_t last);

  std::string_view field_;
  std::vector<std::byte> room_;
  std::byte* device_ = nullptr;  // where room_ begins; null: the values are the host's
  std::byte* first_ = nullptr;   // value of position 0 in the room, which may lie before it
};

}  // namespace thalweg
