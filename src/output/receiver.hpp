// SPDX-License-Identifier: Apache-2.0
// The writer's half of an output: take a slice from every compute rank, hand it to the writer.
#pragma once

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

  /// A message of a compute rank: a step, or that no more steps come. A step that every rank has
  /// announced is written at once.
  void receive(const MPI_Status& status);
  bool written(int stream, int step) const;
  bool all_closed() const { return closed_ == ranks_.compute_ranks; }
  /// Completes the files, then tells compute ranks. Collective over the writers.
  void finish();
  /// Waits until every compute rank, this one perhaps among them, has taken the last words.
  void leave();
  const std::optional<Error>& failure() const { return writer_.failure(); }

 private:
  struct Step {
    int announced = 0;  ///< compute ranks that have published it
    std::int64_t slot = 0;
    std::vector<std::vector<ArrayOrder>> orders;  ///< [source][slice]
    std::vector<std::int64_t> slots;              ///< [source]
  };
  void take(int stream, int step, const Step& ready);
  void fetch(int lane, int slice, const Step& ready, ValueType type);

  const Definition& definition_;
  std::span<const LaneDivision> divisions_;
  Ranks ranks_;
  int slots_;
  StagingMemory& staging_;
  std::vector<SlotMap> maps_;  // [source]
  Writer writer_;
  std::map<std::pair<int, int>, Step> pending_;  // (stream, step)
  std::map<int, int> last_written_;              // [lane] step
  std::vector<std::byte> buffer_;                // one slice of all sources that are not in place
  std::vector<SourceArray> arrays_;              // [source]
  Outbox outbox_;
  int closed_ = 0;
  bool abandoned_ = false;
  std::int64_t waiting_bytes_ = 0;  // announced and not yet taken
};

}  // namespace thalweg
