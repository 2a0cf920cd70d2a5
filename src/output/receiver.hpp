// SPDX-License-Identifier: Apache-2.0
// The writer's half of an output: take a slice from every compute rank, hand it to the writer.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "output/mode.hpp"
#include "output/outbox.hpp"
#include "output/ranks.hpp"
#include "output/slot_map.hpp"
#include "output/writer.hpp"
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
  bool all_closed() const { return closed_ == ranks_.compute_ranks; }
  /// Completes the files, then tells compute ranks. Collective over the writers.
  void finish();
  /// Waits until every compute rank, this one perhaps among them, has taken the last words.
  void leave();
  const std::optional<Error>& failure() const { return writer_.failure(); }

 private:
  struct Step {
    std::vector<int> missing;                     ///< [slice] sources that have not announced it
    std::size_t next = 0;                         ///< slice to be written next
    std::vector<std::vector<ArrayOrder>> orders;  ///< [source][slice]
    std::vector<std::int64_t> slots;              ///< [source]
  };
  using StepKey = std::pair<int, int>;  // stream, step
  bool writable(const Step& step) const;
  void write_slice(const StepKey& key, const Step& step);
  void end_step(const StepKey& key, const Step& step);
  void hear_announcements();
  void fetch(int lane, int slice, const Step& step, ValueType type);
  /// Of a source's slice, if it is this writer's to take: the budget of an I/O rank counts that.
  std::int64_t bytes_of(std::size_t source, int lane, std::size_t slice) const;

  const Definition& definition_;
  std::span<const LaneDivision> divisions_;
  Ranks ranks_;
  int slots_;
  StagingMemory& staging_;
  std::vector<SlotMap> maps_;  // [source]
  Writer writer_;
  std::map<StepKey, Step> pending_;
  std::deque<StepKey> ready_;        // pending steps of which a slice can be written
  std::map<int, int> last_written_;  // [lane] step
  std::vector<std::byte> buffer_;    // one slice of all sources that are not in place
  std::vector<SourceArray> arrays_;  // [source]
  Outbox outbox_;
  int closed_ = 0;
  bool abandoned_ = false;
  std::int64_t waiting_bytes_ = 0;  // announced, and not yet given back
};

}  // namespace thalweg
