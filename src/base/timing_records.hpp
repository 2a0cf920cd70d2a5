// SPDX-License-Identifier: Apache-2.0
// What the timers and events of this rank have recorded so far, for the writer of the timing files.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "thalweg/timers.hpp"

namespace thalweg {

struct TimerRecord {
  std::int64_t calls = 0;
  double total_s = 0.0;
  double min_s = 0.0, max_s = 0.0;  ///< of one call; 0 before the first
};

struct EventRecord {
  EventKind kind;
  double begin_s, end_s;
  std::int64_t bytes;
  std::string stream, field;
  int step;  ///< output number, -1 = none
};

/// Everything one rank records. One thread per rank records; there is no lock.
struct TimingRecords {
  std::array<TimerRecord, timer_list.size()> timers{};
  std::vector<EventRecord> events;
  std::int64_t high_water_bytes = 0;  ///< largest buffered output
  std::int64_t past_cache_bytes = 0;  ///< written past the page cache
};
TimingRecords& timing_records();

}  // namespace thalweg
