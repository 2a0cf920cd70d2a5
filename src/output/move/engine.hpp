// SPDX-License-Identifier: Apache-2.0
// Output on a compute rank: a sender, and a receiver too where compute ranks write themselves.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "output/move/receiver.hpp"
#include "output/move/sender.hpp"
#include "ranks/failure_news.hpp"
#include "ranks/pulse.hpp"

namespace thalweg {

/// What compute ranks and I/O ranks both build from the definitions.
struct EngineParts {
  std::vector<LaneDivision> lanes;
  int slots = 1;                     ///< per lane
  MPI_Comm writers = MPI_COMM_NULL;  ///< null on ranks that do not write
  std::unique_ptr<StagingMemory> staging;
};
/// Collective over all ranks of the output. `runs` of this rank (empty on I/O ranks).
EngineParts make_engine_parts(const Definition& definition, const Ranks& ranks,
                              const OwnedRuns& runs);
/// Collective over the same ranks.
void free_engine_parts(EngineParts& shared);

/// What failed on a rank that goes on is kept in `news` until all ranks agree on it; that a rank
/// has left is thrown at once, by every call that hears of it.
class Engine {
 public:
  /// Collective over all ranks of the output. positions[place] as in OwnedPoints. `on_poll`: called
  /// whenever this rank looks for news.
  Engine(const Definition& definition, const Ranks& ranks, const OwnedRuns& runs,
         const PerPlace<std::vector<std::int64_t>>& positions, FailureNews& news,
         std::function<void()> on_poll);
  Engine(const Engine&) = delete;
  ~Engine();

  /// Takes fields of this rank.
  Sender& sender() { return *sender_; }
  /// True if the step was dropped by backpressure.
  bool finish_step(int stream, int step);
  /// Looks for news from other ranks without waiting: of this output, and of all others that are
  /// open on this rank, since another rank may wait for one of those.
  void poll();
  /// Not collective: nothing more comes from this rank.
  void say_close();
  /// Collective. Ends all output; with `abandon` unfinished files stay under their aside names.
  void close(bool abandon);
  /// How it works in this run, e.g. "async, 2 I/O ranks, transport shared_memory".
  std::string describe() const;

 private:
  void look();
  void look_for_later();

  const Definition& definition_;
  Ranks ranks_;
  FailureNews& news_;
  std::function<void()> on_poll_;
  EngineParts shared_;
  std::optional<Pulse> pulse_;
  std::optional<Sender> sender_;
  bool said_close_ = false;
  std::optional<Error> failed_meanwhile_;  // while another output waited
  std::optional<Receiver> receiver_;       // where this compute rank writes
};

}  // namespace thalweg
