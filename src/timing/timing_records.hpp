// SPDX-License-Identifier: Apache-2.0
// What the timers of this rank have recorded so far, for the writer of the timing files.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "thalweg/timers.hpp"

namespace thalweg {

struct TimerRecord {
  std::int64_t calls = 0;
  double total_s = 0.0;
  double own_s = 0.0;               ///< of the total, what no timer within it took
  double min_s = 0.0, max_s = 0.0;  ///< of one call; 0 before the first
};

/// Time that finished timers took, so that one around them counts only the rest as its own. A timer
/// is added when it ends, those within it before: what they took is at the end of the list.
class TakenTime {
 public:
  /// Seconds of [begin, end] that nothing took yet; now all of it is taken.
  double take(double begin_s, double end_s);
  /// A timer runs from now on, and may have thousands within it. The last one begun ends first.
  void begin(double begin_s) { running_.push_back(begin_s); }
  void end() {
    if (!running_.empty()) running_.pop_back();
  }

 private:
  struct Interval {
    double begin_s, taken_s;
  };
  void join_oldest();

  std::vector<Interval> intervals_;  ///< by begin_s, none within another
  std::vector<double> running_;      ///< begin_s, rising
};

/// Everything one rank records beside its events (event_log.hpp). One thread per rank records;
/// there is no lock.
struct TimingRecords {
  EnumArray<Timer, TimerRecord, timer_list.size()> timers{};
  TakenTime taken;
  std::int64_t high_water_bytes = 0;  ///< largest buffered output
  std::int64_t past_cache_bytes = 0;  ///< written past the page cache
};
TimingRecords& timing_records();

}  // namespace thalweg
