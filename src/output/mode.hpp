// SPDX-License-Identifier: Apache-2.0
// What every way of bringing bytes to the disk can do, seen from a compute rank.
#pragma once

#include <mpi.h>

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "output/definition.hpp"
#include "redist/plan.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

/// The communicators of an output: private copies, so that no message meets the model's.
struct Ranks {
  MPI_Comm control = MPI_COMM_NULL;               ///< all ranks: announcements, credits, errors
  MPI_Comm data = MPI_COMM_NULL;                  ///< all ranks: values
  MPI_Comm compute = MPI_COMM_NULL;               ///< compute ranks only; null on I/O ranks
  int rank = 0, compute_ranks = 1, io_ranks = 0;  ///< compute ranks come first
  bool is_compute() const { return rank < compute_ranks; }
};

/// Index runs of one rank's owned points, by place.
using OwnedRuns = std::array<std::vector<IndexRun>, 3>;

/// A mode on a compute rank. `put` and `finish_step` never throw what happened on another rank:
/// that is kept in failure() until all ranks agree on it.
class Mode {
 public:
  virtual ~Mode() = default;
  /// Field number `position` of the stream at output number `step`.
  virtual void put(int stream, int step, int position, const FieldView& view) = 0;
  virtual void finish_step(int stream, int step) = 0;
  /// How it works in this run, e.g. "async, 2 I/O ranks, transport rma".
  virtual std::string describe() const = 0;
  /// Looks for news from other ranks without waiting.
  virtual void poll() {}
  /// Collective. Ends all output; with `abandon` unfinished files stay under their aside names.
  virtual void close(bool abandon) = 0;

  const std::optional<Error>& failure() const { return failure_; }

 protected:
  void fail(const Error& error) {
    if (!failure_) failure_ = error;
  }

 private:
  std::optional<Error> failure_;
};

/// A line of the table of modes.
struct ModeEntry {
  const char* name;
  const char* meaning;
  bool needs_io_ranks;
  /// On compute ranks, collective over all ranks of the output.
  std::unique_ptr<Mode> (*make)(const Definition&, const Ranks&, const OwnedRuns&);
};

/// Every mode, in modes.cpp.
std::span<const ModeEntry> modes();
/// The mode of that name; throws Error(user) with the list and "did you mean".
const ModeEntry& find_mode(const std::string& name);

std::unique_ptr<Mode> make_serial(const Definition&, const Ranks&, const OwnedRuns&);
std::unique_ptr<Mode> make_async(const Definition&, const Ranks&, const OwnedRuns&);

}  // namespace thalweg
