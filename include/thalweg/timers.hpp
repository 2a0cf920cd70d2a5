// SPDX-License-Identifier: Apache-2.0
// The one list of timers, what they measured on this rank, and the events behind a timeline.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace thalweg {

/// Every timer there is. To add one: add its line here and in `timer_list`.
enum class Timer {
  total,
  model_init,
  integrate,
  dynamics,
  tracers,
  halo_exchange,
  extra_work,
  derive_output,
  diagnostics,
  output,
  output_copy,
  output_wait,
  output_agree,
  output_close,
  io_total,
  io_idle,
  io_get,
  io_reorder,
  io_write,
  io_close,
  plan,
  restart,
  restart_wait,
  restart_write,
  restart_read,
  restart_rank,
  restart_idle,
  count
};

struct TimerInfo {
  const char* name;     ///< as in timing.json and the terminal table
  const char* parent;   ///< the timer that contains it, "" for none
  const char* icon;     ///< ICON's name for the same thing, "" for none
  const char* meaning;  ///< one line
};
inline constexpr std::array<TimerInfo, static_cast<int>(Timer::count)> timer_list{{
    {"total", "", "total", "the whole program on this rank, from start to end"},
    {"model_init", "total", "model_init", "grid, decomposition, initial state"},
    {"integrate", "total", "integrate_nh", "the time loop, output included"},
    {"dynamics", "integrate", "nh_solve", "tendencies and Runge-Kutta updates"},
    {"tracers", "integrate", "transport", "tracer transport"},
    {"halo_exchange", "integrate", "exch_data", "exchange of halo points with neighbours"},
    {"extra_work", "integrate", "physics", "repeated physics-like work ([model] extra_work)"},
    {"derive_output", "integrate", "", "computing the fields of an output"},
    {"diagnostics", "integrate", "global_sum", "mass and energy over the sphere"},
    {"output", "integrate", "wrt_output", "all time a compute rank spends in the output library"},
    {"output_copy", "output", "", "copying fields into the staging buffer"},
    {"output_wait", "output", "",
     "waiting for output: full buffers (async), gather and write (serial)"},
    {"output_agree", "output", "", "compute ranks agree that no rank failed"},
    {"output_close", "total", "", "waiting at the end until every file is complete"},
    {"io_total", "", "", "the whole life of an I/O rank"},
    {"io_idle", "io_total", "", "an I/O rank without work"},
    {"io_get", "io_total", "", "pulling fields from compute ranks (serial: gathering them)"},
    {"io_reorder", "io_total", "", "redistribution into global order and conversion"},
    {"io_write", "io_total", "", "creating files and writing fields"},
    {"io_close", "io_total", "", "flushing, closing and renaming files"},
    {"plan", "", "", "building redistribution plans"},
    {"restart", "integrate", "wrt_restart", "all time a compute rank spends in writing restarts"},
    {"restart_wait", "restart", "", "waiting until the restart set before is complete"},
    {"restart_write", "", "", "checksums and writing of restart sets, on whoever writes"},
    {"restart_read", "total", "read_restart", "finding, checking and reading a restart set"},
    {"restart_rank", "", "", "the whole life of a restart rank"},
    {"restart_idle", "restart_rank", "", "a restart rank without work"},
}};

/// What happens in an interval of the timeline.
enum class EventKind { compute, copy, wait, send, get, reorder, write, close, idle, spill, count };
inline constexpr std::array<const char*, static_cast<int>(EventKind::count)> event_names{
    "compute", "copy", "wait", "send", "get", "reorder", "write", "close", "idle", "spill"};

/// Seconds since `start_clock` (a steady clock; ranks of one node share it).
double now_s();
/// Collective: zero of now_s() on every rank.
void start_clock(MPI_Comm world);

/// Adds a finished interval to a timer of this rank. Timers are always on: two clock reads a call.
void add_time(Timer timer, double begin_s, double end_s);
double timer_total_s(Timer timer);

/// Times its own scope.
class ScopedTimer {
 public:
  explicit ScopedTimer(Timer timer) : timer_(timer), begin_s_(now_s()) {}
  ~ScopedTimer() { add_time(timer_, begin_s_, now_s()); }
  ScopedTimer(const ScopedTimer&) = delete;
  ScopedTimer& operator=(const ScopedTimer&) = delete;

 private:
  Timer timer_;
  double begin_s_;
};

/// Records who did what when with how many bytes. `stream`, `field` may be ""; `step` = output
/// number or -1.
void record_event(EventKind kind, double begin_s, double end_s, std::int64_t bytes = 0,
                  std::string_view stream = "", std::string_view field = "", int step = -1);

/// Buffered output that this rank was responsible for at some moment: the largest is kept.
void record_high_water(std::int64_t bytes);
/// Adds to what this rank wrote past the page cache.
void record_past_cache(std::int64_t bytes);

/// Collective over `world`: rank 0 writes directory/timing.json and directory/events.jsonl.
/// `role`: "compute" or "io". Layouts: docs/run-directory.md.
void write_timing(MPI_Comm world, std::string_view role, const std::string& directory);

}  // namespace thalweg
