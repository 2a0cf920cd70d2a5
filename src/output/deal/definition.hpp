// SPDX-License-Identifier: Apache-2.0
// All that compute ranks defined, in the form both sides of an output work from.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "field/stored_values.hpp"
#include "output/deal/schedule.hpp"
#include "output/deal/words.hpp"
#include "thalweg/output.hpp"

namespace thalweg {

/// One stream with its variables resolved.
struct Stream {
  StreamSettings settings;
  Schedule schedule;
  std::vector<int> fields;  ///< indices into Definition::fields, in file order
  int first_lane = 0;       ///< lane of its partition 0
  StreamWords words = words_of(settings);

  /// How values of a field lie in its files.
  ValueType type_of(const FieldInfo& field) const {
    return stored_type(field.type, words.precision == Precision::float64);
  }
};

/// Fields, streams and place sizes. A lane is one partition of one stream: the unit that owns
/// staging slots, a team of writers and a file sequence.
struct Definition {
  OutputSettings settings;
  OutputWords words;                         ///< of these settings
  std::optional<ModelTime> continues_after;  ///< Output::continue_after
  bool same_files = false;  ///< as those of the run before; without a time: it begins again
  BegunRun begun;           ///< the first of the runs that write these files
  std::vector<FieldInfo> fields;
  std::vector<Stream> streams;
  PerPlace<std::int64_t> sizes{};  ///< global points
  std::string history;             ///< of every file: when and how the run began

  void use(const OutputSettings& chosen);
  void continue_after(ModelTime time, bool in_same_files);

  int lanes() const;
  int lane_of(int stream, int step) const;
  int stream_of(int lane) const;
  /// Levels of a field that a stream writes, 0-based; {0} for a two-dimensional field.
  std::vector<int> levels_of(const Stream& stream, const FieldInfo& field) const;

  const FieldInfo& field_of(const Stream& stream, int position) const;
  /// Of all ranks, in the file, uncompressed.
  std::int64_t bytes_of_step(const Stream& stream) const;

  std::string to_json() const;  ///< without the settings, which every rank has
  static Definition from_json(const std::string& text, const OutputSettings& settings);
};

/// What is known of an output before its fields and points.
Definition definition_of(const OutputSettings& settings, std::span<const StreamSettings> streams);

/// The fields a stream names, in the order of `fields`. Throws Error(user) with one sentence.
std::vector<int> resolve_variables(const StreamSettings& stream, std::span<const FieldInfo> fields);

}  // namespace thalweg
