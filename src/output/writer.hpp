// SPDX-License-Identifier: Apache-2.0
// The writing end of an output: from the staged arrays of all sources to complete files.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/page_bytes.hpp"
#include "output/mode.hpp"
#include "output/ranks.hpp"
#include "output/team_file.hpp"
#include "redist/reorder.hpp"

namespace thalweg {

/// Reorders, converts and writes the slices of one writer; opens a file at its first step and
/// closes it after its last. Nothing throws: the first failure is kept, and told through
/// `on_failure`; after it the writer goes on taking part in what a team does together, and writes
/// nothing more.
class Writer {
 public:
  /// Collective over the writers. runs[source]; teams[lane]: null where this rank is not of the
  /// team.
  Writer(const Definition& definition, std::span<const LaneDivision> lanes,
         std::span<const OwnedRuns> runs, const Ranks& ranks, MPI_Comm writers,
         std::function<void(const Error&)> on_failure);
  ~Writer();

  /// Slice number `slice` of the lane's division at a stream's step; arrays[source].
  void put(int stream, int step, int slice, std::span<const SourceArray> arrays);
  /// After the last slice of a step. Closes the file when this was its last step.
  void finish_step(int stream, int step);
  /// The step was dropped: it will never be put.
  void drop(int stream, int step);
  /// Ends what is still open. Files of a fixed time axis that lack steps stay aside.
  void close();
  void abandon() noexcept;
  bool failed() const { return failure_.has_value(); }
  const std::optional<Error>& failure() const { return failure_; }

 private:
  struct OpenFile {
    std::unique_ptr<TeamFile> file;  ///< null: given up
    std::size_t steps_left = 0;
    bool begun = false;  ///< a step was put or dropped
  };
  struct PlanKey {
    std::size_t place;
    std::int64_t first_point, points;
    auto operator<=>(const PlanKey&) const = default;
  };
  const Plan& plan_for(const FieldInfo& field, const Slice& slice);
  OpenFile& file_for(int stream, int step);
  void make_next_file(int stream, int file);
  FileDescription describe(int stream, int file) const;
  void end_step(int stream, int step, bool dropped);
  void close_file(int stream, int file, OpenFile& open);
  void make_rooms();
  MPI_Comm team_of_file(int lane) const;
  int time_index(int stream, int step) const;
  template <class Act>
  void attempt(const Act& act);
  void trace(int stream, int step, const Slice& slice, const Plan& plan,
             std::span<const SourceArray> arrays) const;

  const Definition& definition_;
  std::span<const LaneDivision> lanes_;
  Ranks ranks_;
  std::vector<OwnedRuns> runs_;                   // [source]
  std::map<PlanKey, Plan> plans_;                 // made at the first slice of its kind, then kept
  std::vector<MPI_Comm> teams_;                   // [lane]
  std::vector<std::unique_ptr<FileRoom>> rooms_;  // [lane] of the file that is open; may be null
  std::map<std::pair<int, int>, OpenFile> open_;  // (stream, file)
  PageBytes slab_;                                // some levels in global order
  std::function<void(const Error&)> on_failure_;
  std::optional<Error> failure_;
};

}  // namespace thalweg
