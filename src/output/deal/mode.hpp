// SPDX-License-Identifier: Apache-2.0
// What a mode is: a rule that deals the fields of an output step to the ranks that write.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "output/deal/definition.hpp"

namespace thalweg {

/// Some levels of some consecutive points of one field: the share of one writer in a step.
struct Slice {
  int position = 0;                          ///< field number in the stream
  int first_level = 0, levels = 1;           ///< of the levels the stream writes
  std::int64_t first_point = 0, points = 0;  ///< global indices
  int writer = 0;
};

/// How every step of one lane is divided.
struct LaneDivision {
  std::vector<int> team;      ///< writers, ascending; the first is the head of the lane's files
  std::vector<Slice> slices;  ///< ascending in position, level, point
  std::string reason;         ///< for the log, "" if the mode leaves no choice
  bool own_files = false;     ///< every writer has a file of its own, as the mode's entry says
};

enum class IoRanks { none, optional, required };

/// A line of the table of modes.
struct ModeEntry {
  const char* name;
  const char* meaning;
  IoRanks io_ranks;
  bool teams;      ///< several writers may share the steps of a stream
  bool own_files;  ///< each of them then has a file of its own
  /// A pure function: every rank computes the same. Call divide_lanes().
  LaneDivision (*divide)(const Definition&, int lane, int writers);
};

/// Every mode, in modes.cpp.
std::span<const ModeEntry> modes();
/// The mode of that name; throws Error(user) with the list and "did you mean".
const ModeEntry& find_mode(const std::string& name);
/// How the mode of the definition divides every lane among this many writers.
std::vector<LaneDivision> divide_lanes(const Definition& definition, int writers);
/// May several ranks write one step of a stream? `io_ranks` 0: compute ranks write.
bool may_share_steps(const ModeEntry& mode, int io_ranks, int partitions);

/// Mode auto divides like one of these.
LaneDivision divide_async(const Definition&, int lane, int writers);
LaneDivision divide_shared_file(const Definition&, int lane, int writers);

/// All fields of a stream, whole, for one writer.
std::vector<Slice> whole_fields(const Definition& definition, const Stream& stream, int writer);
/// The writers that share a lane: all of them, or, of a stream with partitions, every P-th.
std::vector<int> team_of(const Definition& definition, int lane, int writers);

}  // namespace thalweg
