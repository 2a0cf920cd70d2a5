// SPDX-License-Identifier: Apache-2.0
// When a stream writes, and which partition and file each of its times belongs to.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "thalweg/output_settings.hpp"

namespace thalweg {

/// The times of one file: same partition, same file interval.
struct FileTimes {
  int partition = 0;
  std::vector<int> steps;        ///< output numbers, ascending
  std::vector<ModelTime> times;  ///< [steps]
};

/// As files store them.
std::vector<double> seconds_of(std::span<const ModelTime> times);

/// Throws Error(user) with one sentence if the times of a stream, with its end (with_end()), make
/// no schedule.
void check_schedule(const StreamSettings& stream);

/// The times of one stream, which are checked. A pure function of its settings: every rank computes
/// the same.
class Schedule {
 public:
  explicit Schedule(const StreamSettings& stream);

  /// Up to this time nothing is due: another run has written it.
  void begin_after(ModelTime time) { after_ = time; }
  int steps() const { return steps_; }
  /// Outputs before this time, of this run or the one before.
  int steps_before(ModelTime time) const;
  int first_due() const { return after_ ? steps_before(*after_ + ModelTime::of_ms(1)) : 0; }
  bool is_due_but_for_its_end(ModelTime time) const;
  ModelTime time(int step) const { return ModelTime::of_ms(start_.ms() + step * interval_.ms()); }
  /// The output number at exactly this time, if the stream is due then.
  std::optional<int> step_at(ModelTime time) const;
  int partition_of(int step) const { return step % partitions_; }
  /// Index into files() of the file that holds this step.
  int file_of(int step) const { return file_of_[step]; }
  const std::vector<FileTimes>& files() const { return files_; }

 private:
  ModelTime start_, interval_;
  std::optional<ModelTime> after_;
  int partitions_, steps_ = 0;
  std::vector<int> file_of_;  // [steps]
  std::vector<FileTimes> files_;
};

}  // namespace thalweg
