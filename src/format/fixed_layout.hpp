// SPDX-License-Identifier: Apache-2.0
// Files in which the place of every value is known before the first is written: all ranks of a team
// write their pieces with large writes of their own, and nobody waits.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "file/aside_file.hpp"
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
/// Bytes of all times of one field.
std::int64_t field_bytes(const FileDescription& description, const FieldInfo& field);

/// Where the fields of a file lie, and how many times have room.
struct FixedLayout {
  std::vector<FieldBytes> fields;
  std::size_t times = 0;
  /// The time axis that lies in the file already; nothing where the format has none before it is
  /// complete.
  std::optional<std::vector<double>> times_s = {};
  bool moved = false;  ///< kept values lie elsewhere now

  /// Of a format whose files have their time axis from the beginning.
  static FixedLayout with_axis(std::vector<FieldBytes> fields, std::vector<double> times_s) {
    const auto times = times_s.size();
    return {std::move(fields), times, std::move(times_s)};
  }
};

/// What the formats of fixed layout do differently. All of them happen on the head.
struct FixedFormat {
  const char* name;
  bool big_endian;
  /// Makes `path.part`, described and without values.
  FixedLayout (*create)(const FileDescription&);
  /// Of a file that is there, under whatever name. Changes nothing.
  FixedLayout (*look)(const FileDescription&, const std::string& path);
  /// After everybody's last value: the final name.
  void (*complete)(const FileDescription&);
};

/// `path.part` with reserved room for all times of the description, and the kept ones in it: a new
/// one, or the one that an interrupted run left.
FixedLayout prepare_fixed_layout(const FixedFormat& format, const FileDescription&);
/// Of a file with kept times, aside or under its final name: throws Error(user) if it is shorter
/// than they are.
void check_kept_fixed_layout(const FixedFormat& format, const FileDescription&);
/// Cuts `path.part`, which has room for more, to the times of the description: describes another
/// file, moves the values, and gives it this name.
void fit_fixed_layout(const FixedFormat& format, const FileDescription&, const FixedLayout&);

/// Head: prepares the file and takes it over.
std::unique_ptr<Container> open_fixed_layout(const FixedFormat& format, const FileDescription&);
/// Other ranks, with the head's layout().
std::unique_ptr<Container> join_fixed_layout(const FixedFormat& format, const FileDescription&,
                                             const std::string& layout);

}  // namespace thalweg
