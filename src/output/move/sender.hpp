// SPDX-License-Identifier: Apache-2.0
// The compute rank's half of an output: copy into a staging slot, announce it, go on computing.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "output/deal/mode.hpp"
#include "output/deal/share.hpp"
#include "output/deal/slot_map.hpp"
#include "output/move/spill.hpp"
#include "ranks/outbox.hpp"
#include "ranks/ranks.hpp"
#include "redist/plan.hpp"
#include "redist/reorder.hpp"
#include "redist/staging_memory.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

/// What fails here while others go on is handed to `on_error`.
class Sender {
 public:
  Sender(const Definition& definition, std::span<const LaneDivision> lanes, const Ranks& ranks,
         const OwnedRuns& runs, const PerPlace<std::vector<std::int64_t>>& positions,
         StagingMemory& staging, int slots, std::function<void()> pump,
         std::function<void(const Error&)> on_error);

  /// Field number `position` of the stream at output number `step`.
  void put(int stream, int step, int position, const FieldView& view);
  /// Announces the step. True if it was dropped by backpressure.
  bool finish_step(int stream, int step);
  /// A message of a writer: credit or done.
  void receive(const MPI_Status& status);
  /// Publishes waiting steps whose slots have become free and whose turn it is.
  void advance();
  bool any_waiting() const;
  /// Some rank has failed: it may never take what was offered, so no one waits for that any more.
  void give_up() { given_up_ = true; }
  /// Tells all writers that nothing more comes from this rank.
  void say_close(bool abandon);
  bool all_done() const { return done_ == ranks_.writers; }
  void finish();  ///< after all_done()

 private:
  struct Step {
    int stream, step;
    std::vector<ArrayOrder> orders;  ///< [slice]
  };
  struct Lane {
    enum class Filling { nothing, slot, spill, dropped } filling = Filling::nothing;
    int slot = 0;                    ///< the next to fill
    std::vector<int> credits;        ///< [slot] writers that have not yet taken it
    std::vector<ArrayOrder> orders;  ///< [slice] of the step being filled
    std::vector<bool> filled;        ///< [slice] of that step
    std::size_t announced = 0;       ///< slices of it, from the first
    std::vector<std::byte> aside;    ///< a step on its way into the spill file
    std::unique_ptr<Spill> spill;
    int waiting = 0;  ///< steps of it in its queue
  };
  /// A step that is complete and not yet announced.
  struct Waiting {
    int lane;
    Step step;
    bool spilled;  ///< in the spill file; else in its slot, and only its turn has not come
  };
  using Queue = std::deque<Waiting>;
  Queue& queue_of(int lane);
  struct Shape {  // what of a place a slice has on this rank
    std::vector<StagedRun> stretches;
    std::int64_t points = 0;
  };
  void acquire(int lane, int stream, int step);
  bool agree_to_take(bool free);
  bool announces_early(const LaneDivision& division) const;
  void announce_filled(int lane, int stream, int step);
  void announce(int lane, const Step& step, std::size_t first, std::size_t end);
  void publish(int lane, const Step& step, std::size_t first);
  void advance(Queue& queue);
  const Shape& shape_of(Place place, const Slice& slice);
  std::byte* target(int lane, int slice);

  const Definition& definition_;
  std::span<const LaneDivision> divisions_;
  Ranks ranks_;
  const OwnedRuns& runs_;
  const PerPlace<std::vector<std::int64_t>>& positions_;
  StagingMemory& staging_;
  SlotMap map_;
  int slots_;
  std::function<void()> pump_;
  std::function<void(const Error&)> on_error_;
  std::vector<Lane> lanes_;
  Queue shared_queue_;               // of lanes with several writers
  std::map<int, Queue> own_queues_;  // of the others, [lane]
  std::map<std::tuple<Place, std::int64_t, std::int64_t>, Shape> shapes_;
  Outbox outbox_;
  int done_ = 0;
  bool given_up_ = false, spill_broken_ = false;
};

}  // namespace thalweg
