// SPDX-License-Identifier: Apache-2.0
// All that compute ranks defined, in the form both sides of an output work from.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "output/schedule.hpp"
#include "thalweg/output.hpp"

namespace thalweg {

/// One stream with its variables resolved.
struct Stream {
  StreamSettings settings;
  Schedule schedule;
  std::vector<int> fields;  ///< indices into Definition::fields, in file order
  int first_lane = 0;       ///< lane of its partition 0
};

/// Fields, streams and place sizes. A lane is one partition of one stream: the unit that owns
/// staging slots, a team of writers and a file sequence.
struct Definition {
  OutputSettings settings;
  std::vector<FieldInfo> fields;
  std::vector<Stream> streams;
  std::array<std::int64_t, 3> sizes{};  ///< [place] global points

  int lanes() const;
  int lane_of(int stream, int step) const;
  int stream_of(int lane) const;
  /// Levels of a field that a stream writes, 0-based; {0} for a two-dimensional field.
  std::vector<int> levels_of(const Stream& stream, const FieldInfo& field) const;

  const FieldInfo& field_of(const Stream& stream, int position) const;
  std::int64_t values_of_step(const Stream& stream) const;  ///< of all ranks
  std::int64_t bytes_of_step(const Stream& stream) const;   ///< in the file, uncompressed

  std::string to_json() const;  ///< without the settings, which every rank has
  static Definition from_json(const std::string& text, const OutputSettings& settings);
};

/// The fields a stream names, in the order of `fields`. Throws Error(user) with one sentence.
std::vector<int> resolve_variables(const StreamSettings& stream, std::span<const FieldInfo> fields);

}  // namespace thalweg
