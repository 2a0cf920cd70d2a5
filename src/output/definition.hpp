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
/// staging buffers, an I/O rank and a file sequence.
struct Definition {
  OutputSettings settings;
  std::vector<FieldInfo> fields;
  std::vector<Stream> streams;
  std::array<std::int64_t, 3> sizes{};  ///< [place] global points

  int lanes() const;
  int lane_of(int stream, int step) const;
  /// Index of the I/O rank (0 ...) that serves a lane: dealt round-robin.
  int io_rank_of(int lane, int io_ranks) const { return lane % io_ranks; }
  int stream_of(int lane) const;
  /// Levels of a field that a stream writes, 0-based; {0} for a two-dimensional field.
  std::vector<int> levels_of(const Stream& stream, const FieldInfo& field) const;

  std::string to_json() const;
  static Definition from_json(const std::string& text);
};

/// The fields a stream names, in the order of `fields`. Throws Error(user) with one sentence.
std::vector<int> resolve_variables(const StreamSettings& stream, std::span<const FieldInfo> fields);

/// Where one source rank's data of a lane's step lie in its staging memory; counted in doubles.
/// Both sides compute it from the definition and the source's numbers of owned points.
class SlotMap {
 public:
  static constexpr int slots_per_lane = 2;  ///< double buffering
  SlotMap(const Definition& definition, const std::array<std::int64_t, 3>& owned);

  std::int64_t total() const { return total_; }
  std::int64_t slot_offset(int lane, int slot) const;
  /// Offset of the n-th field of the lane's stream inside a slot, and its number of values.
  std::int64_t field_offset(int lane, int field) const;
  std::int64_t field_size(int lane, int field) const;
  std::int64_t slot_size(int lane) const;

 private:
  struct Lane {
    std::int64_t offset = 0;
    std::vector<std::int64_t> begin;  // [fields + 1]
  };
  std::vector<Lane> lanes_;
  std::int64_t total_ = 0;
};

}  // namespace thalweg
