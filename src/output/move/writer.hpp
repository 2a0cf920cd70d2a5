// SPDX-License-Identifier: Apache-2.0
// The writing end of an output: from the staged arrays of all sources to pieces of files.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/page_bytes.hpp"
#include "output/deal/mode.hpp"
#include "output/deal/slot_map.hpp"
#include "output/files/open_files.hpp"
#include "ranks/first_failure.hpp"
#include "ranks/ranks.hpp"
#include "redist/plan.hpp"
#include "redist/reorder.hpp"
#include "redist/staging_memory.hpp"

namespace thalweg {

/// Where a step lies in the staging memory of its sources, and in which order.
struct StagedSlots {
  std::vector<std::vector<ArrayOrder>> orders;  ///< [source][slice]
  std::vector<std::int64_t> slots;              ///< [source]
};

/// Fetches, reorders, converts and writes the slices of one writer. Nothing throws: the first
/// failure is kept, and told through `on_failure`; after it the writer goes on taking part in what
/// a team does together, and writes nothing more.
class Writer {
 public:
  /// Collective over the writers. runs[source]; `slots` per lane in `staging`, which lives longer.
  Writer(const Definition& definition, std::span<const LaneDivision> lanes,
         std::span<const OwnedRuns> runs, const Ranks& ranks, int slots, StagingMemory& staging,
         MPI_Comm writers, std::function<void(const Error&)> on_failure);

  /// Slice number `slice` of the lane's division at a stream's step.
  void put(int stream, int step, int slice, const StagedSlots& staged);
  /// After the last slice of a step. Closes the file when this was its last step.
  void finish_step(int stream, int step) { files_.end_step(stream, step, false); }
  /// The step was dropped: it will never be put.
  void drop(int stream, int step) { files_.end_step(stream, step, true); }
  /// Ends what is still open: files then hold the times that were written.
  void close() { files_.close(); }
  void abandon() noexcept { files_.abandon(); }
  /// A report of another writer (tag_written).
  void hear(const MPI_Status& status) { files_.hear(status); }
  /// After close() or abandon(), on every writer: until all reports are heard.
  void leave() { files_.leave(); }
  const std::optional<Error>& failure() const { return failure_.error(); }
  /// Of a source's slice.
  std::int64_t staged_bytes_of(std::size_t source, int lane, int slice) const {
    return maps_[source].bytes(lane, slice);
  }

 private:
  struct PlanKey {
    Place place;
    std::int64_t first_point, points;
    auto operator<=>(const PlanKey&) const = default;
  };
  const Plan& plan_for(const FieldInfo& field, const Slice& slice);
  void fetch(int lane, int slice, const StagedSlots& staged, ValueType type);
  void write_slabs(int stream, int step, const Slice& slice, const Plan& plan, TeamFile& file);
  /// Tells of the watched value, if the slice that was fetched holds it.
  bool trace(int stream, int step, const Slice& slice, const Plan& plan) const;

  const Definition& definition_;
  std::span<const LaneDivision> lanes_;
  std::vector<OwnedRuns> runs_;  // [source]
  int slots_;
  StagingMemory& staging_;
  std::vector<SlotMap> maps_;        // [source]
  std::map<PlanKey, Plan> plans_;    // made at the first slice of its kind, then kept
  std::vector<std::byte> buffer_;    // one slice of all sources that are not in place
  std::vector<SourceArray> arrays_;  // [source] of the slice that was fetched
  PageBytes slab_;                   // some levels in global order
  FirstFailure failure_;
  OpenFiles files_;
};

}  // namespace thalweg
