// SPDX-License-Identifier: Apache-2.0
// When a stream writes, and which partition and file each of its times belongs to.
#pragma once

#include <optional>
#include <vector>

#include "thalweg/output.hpp"

namespace thalweg {

/// The times of one file: same partition, same file interval.
struct FileTimes {
  int partition = 0;
  std::vector<int> steps;       ///< output numbers, ascending
  std::vector<double> times_s;  ///< [steps]
};

/// The times of one stream. A pure function of its settings: every rank computes the same.
class Schedule {
 public:
  explicit Schedule(const StreamSettings& stream);

  int steps() const { return steps_; }
  double time_s(int step) const { return start_s_ + step * interval_s_; }
  /// The output number at this time, if the stream is due then (to 1e-6 of an interval).
  std::optional<int> step_at(double time_s) const;
  int partition_of(int step) const { return step % partitions_; }
  /// Index into files() of the file that holds this step.
  int file_of(int step) const { return file_of_[static_cast<std::size_t>(step)]; }
  const std::vector<FileTimes>& files() const { return files_; }

 private:
  double start_s_, interval_s_;
  int partitions_, steps_ = 0;
  std::vector<int> file_of_;  // [steps]
  std::vector<FileTimes> files_;
};

}  // namespace thalweg
