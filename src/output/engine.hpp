// SPDX-License-Identifier: Apache-2.0
// Output on a compute rank: a sender, and a receiver too where compute ranks write themselves.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "output/receiver.hpp"
#include "output/sender.hpp"

namespace thalweg {

/// What compute ranks and I/O ranks both build from the definitions.
struct Shared {
  std::vector<LaneDivision> lanes;
  int slots = 1;                     ///< per lane
  MPI_Comm writers = MPI_COMM_NULL;  ///< null on ranks that do not write
  std::unique_ptr<StagingMemory> staging;
};
/// Collective over all ranks of the output. `runs` of this rank (empty on I/O ranks).
Shared make_shared_parts(const Definition& definition, const Ranks& ranks, const OwnedRuns& runs);
/// Collective over the same ranks.
void free_shared_parts(Shared& shared);

/// `put` and `finish_step` never throw what happened on another rank: that is kept in failure()
/// until all ranks agree on it.
class Engine {
 public:
  /// Collective over all ranks of the output. positions[place] as in OwnedPoints.
  Engine(const Definition& definition, const Ranks& ranks, const OwnedRuns& runs,
         std::span<const std::vector<std::int64_t>> positions);
  Engine(const Engine&) = delete;

  void put(int stream, int step, int position, const FieldView& view);
  /// True if the step was dropped by backpressure.
  bool finish_step(int stream, int step);
  /// Looks for news from other ranks without waiting.
  void poll();
  /// Collective. Ends all output; with `abandon` unfinished files stay under their aside names.
  void close(bool abandon);
  /// How it works in this run, e.g. "async, 2 I/O ranks, transport shared_memory".
  std::string describe() const;
  const std::optional<Error>& failure() const { return failure_; }

 private:
  const Definition& definition_;
  Ranks ranks_;
  Shared shared_;
  std::optional<Sender> sender_;
  std::optional<Receiver> receiver_;  // where this compute rank writes
  std::optional<Error> failure_;
};

}  // namespace thalweg
