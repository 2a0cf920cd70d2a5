// SPDX-License-Identifier: Apache-2.0
// The writer's half of an output: what compute ranks have announced, and when it can be written.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "output/deal/mode.hpp"
#include "output/move/writer.hpp"
#include "ranks/outbox.hpp"
#include "ranks/ranks.hpp"
#include "redist/plan.hpp"
#include "redist/staging_memory.hpp"

namespace thalweg {

class Receiver {
 public:
  Receiver(const Definition& definition, std::span<const LaneDivision> lanes, const Ranks& ranks,
           std::span<const OwnedRuns> runs, int slots, StagingMemory& staging, MPI_Comm writers,
           std::function<void(const Error&)> on_failure);

  /// A message of a compute rank: slices of a step, or that no more steps come. Writes nothing.
  void receive(const MPI_Status& status);
  /// Writes what every compute rank has announced.
  void write_ready();
  bool written(int stream, int step) const;
  /// A compute rank has left without a word to writers: as if it had closed and abandoned.
  void count_left(int rank);
  bool all_closed() const { return static_cast<int>(closed_.size()) == ranks_.compute_ranks; }
  /// Completes the files, then tells compute ranks. Collective over the writers.
  void finish();
  /// Waits until every compute rank, this one perhaps among them, has taken the last words.
  void leave();
  const std::optional<Error>& failure() const { return writer_.failure(); }

 private:
  struct Step {
    std::vector<int> missing;    ///< [slice] sources that have not announced it
    std::vector<int> announced;  ///< [source] its slices so far
    std::size_t next = 0;        ///< slice to be written next
    StagedSlots staged;
  };
  using StepKey = std::pair<int, int>;  // stream, step
  bool writable(const Step& step) const;
  void require_to_come(const StepKey& key, const Step& step) const;
  void write_slice(const StepKey& key, const Step& step);
  void end_step(const StepKey& key, const Step& step);
  void hear_announcements();
  /// Of a source's slice, if it is this writer's to take: the budget of an I/O rank counts that.
  std::int64_t bytes_of(std::size_t source, int lane, std::size_t slice) const;

  const Definition& definition_;
  std::span<const LaneDivision> divisions_;
  Ranks ranks_;
  Writer writer_;
  std::map<StepKey, Step> pending_;
  std::deque<StepKey> ready_;        // pending steps of which a slice can be written
  std::map<int, int> last_written_;  // [lane] step
  Outbox outbox_;
  std::set<int> closed_;  // compute ranks of which no more steps come
  bool abandoned_ = false;
  std::int64_t waiting_bytes_ = 0;  // announced, and not yet given back
};

}  // namespace thalweg
