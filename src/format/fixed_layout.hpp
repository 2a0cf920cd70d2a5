// SPDX-License-Identifier: Apache-2.0
// Files in which the place of every value is known before the first is written: all ranks of a team
// write their pieces with large writes of their own, and nobody waits.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "format/aside_file.hpp"
#include "format/container.hpp"

namespace thalweg {

/// Where the values of one field lie, in bytes: value(time, level, point) is at
/// offset + time * time_stride + level * level_stride + point * bytes of a value.
struct FieldBytes {
  std::int64_t offset = 0, time_stride = 0, level_stride = 0;
};

/// values[time][level][point] of every field, the first at offsets[field].
std::vector<FieldBytes> dense_layout(const FileDescription& description,
                                     std::span<const std::int64_t> offsets);
/// Bytes of one value of the fields.
inline std::size_t value_bytes(const FileDescription& description) {
  return description.float64 ? sizeof(double) : sizeof(float);
}
/// Bytes of all times of one field.
std::int64_t field_bytes(const FileDescription& description, const FieldInfo& field);

/// What the formats of fixed layout do differently.
struct FixedFormat {
  const char* name;
  bool big_endian;
  /// Head, after everybody's last value: completes the description and gives the final name.
  void (*complete)(const FileDescription&, std::span<const FieldBytes>,
                   const std::vector<int>& dropped_times);
};

/// Head: `path.part` exists and is described; reserves room for all values and takes it over.
std::unique_ptr<Container> open_fixed_layout(const FixedFormat& format, const FileDescription&,
                                             std::vector<FieldBytes> fields);
/// Other ranks, with the head's layout().
std::unique_ptr<Container> join_fixed_layout(const FixedFormat& format, const FileDescription&,
                                             const std::string& layout);

}  // namespace thalweg
