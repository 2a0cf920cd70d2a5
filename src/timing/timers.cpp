// SPDX-License-Identifier: Apache-2.0
// The clock, the timers and the events of this rank.
#include "thalweg/timers.hpp"

#include <algorithm>
#include <chrono>

#include "base/call_limit.hpp"
#include "timing/timing_records.hpp"

namespace thalweg {

namespace {

double clock_zero_s = 0.0;

double steady_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

double now_s() { return steady_s() - clock_zero_s; }

void start_clock(MPI_Comm world) {
  // Ranks of one node read the same steady clock: they agree on its earliest reading exactly.
  // Clocks of different nodes have unrelated zeros: these agree as well as ranks leave a barrier
  // together (microseconds).
  const CallLimit limit("all ranks to start their clocks");
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Barrier(world);
  clock_zero_s = steady_s();
  MPI_Allreduce(MPI_IN_PLACE, &clock_zero_s, 1, MPI_DOUBLE, MPI_MIN, node);
  MPI_Comm_free(&node);
}

TimingRecords& timing_records() {
  static TimingRecords records;
  return records;
}

double TakenTime::take(double begin_s, double end_s) {
  double within_s = 0.0;
  for (; !intervals_.empty() && intervals_.back().begin_s >= begin_s; intervals_.pop_back()) {
    within_s += intervals_.back().taken_s;
  }
  intervals_.push_back({begin_s, end_s - begin_s});
  constexpr std::size_t most = 4096;
  if (intervals_.size() >= most + running_.size()) join_oldest();
  return std::max(0.0, end_s - begin_s - within_s);
}

// One entry does for those of the older half between which no timer began that still runs.
void TakenTime::join_oldest() {
  const auto half = intervals_.begin() + static_cast<std::ptrdiff_t>(intervals_.size() / 2);
  auto joined = intervals_.begin();
  for (auto next = joined + 1; next != half; ++next) {
    const auto runs = std::upper_bound(running_.begin(), running_.end(), joined->begin_s);
    if (runs != running_.end() && *runs <= next->begin_s) {
      *++joined = *next;
    } else {
      joined->taken_s += next->taken_s;
    }
  }
  intervals_.erase(joined + 1, half);
}

ScopedTimer::ScopedTimer(Timer timer) : timer_(timer), begin_s_(now_s()) {
  timing_records().taken.begin(begin_s_);
}

ScopedTimer::~ScopedTimer() {
  timing_records().taken.end();
  add_time(timer_, begin_s_, now_s());
}

void add_time(Timer timer, double begin_s, double end_s) {
  TimerRecord& record = timing_records().timers[timer];
  const double call_s = end_s - begin_s;
  record.min_s = record.calls == 0 ? call_s : std::min(record.min_s, call_s);
  record.max_s = std::max(record.max_s, call_s);
  record.total_s += call_s;
  record.own_s += timing_records().taken.take(begin_s, end_s);
  ++record.calls;
}

double timer_total_s(Timer timer) { return timing_records().timers[timer].total_s; }

void record_high_water(std::int64_t bytes) {
  auto& largest = timing_records().high_water_bytes;
  largest = std::max(largest, bytes);
}

void record_past_cache(std::int64_t bytes) { timing_records().past_cache_bytes += bytes; }

}  // namespace thalweg
