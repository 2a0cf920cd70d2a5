// SPDX-License-Identifier: Apache-2.0
// The one list of timers, what they measured on this rank, and the events behind a timeline.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "thalweg/enum_array.hpp"

namespace thalweg {

/// What a rank does: the kind of an interval in the timeline, and the category of a timer. One line
/// each: name and meaning.
#define THALWEG_EVENT_KINDS(KIND)                                    \
  KIND(start, "grid, initial state, reading a checkpoint")           \
  KIND(compute, "the model itself, and the fields of an output")     \
  KIND(exchange, "halo points, and waiting for other compute ranks") \
  KIND(copy, "copying fields into the staging buffer")               \
  KIND(wait, "waiting for output or a checkpoint")                   \
  KIND(send, "handing output over to those who write")               \
  KIND(get, "pulling fields from compute ranks")                     \
  KIND(reorder, "redistribution into global order and conversion")   \
  KIND(write, "making files and writing them")                       \
  KIND(close, "flushing, closing and renaming files")                \
  KIND(spill, "output to a disk of the node, as buffers are full")   \
  KIND(idle, "a rank for output or restarts without work")           \
  KIND(other, "what no other kind tells")

enum class EventKind {
#define THALWEG_KIND(name, meaning) name,
  THALWEG_EVENT_KINDS(THALWEG_KIND)
#undef THALWEG_KIND
      count
};

struct EventKindInfo {
  const char* name;     ///< as in events.jsonl and timing.json
  const char* meaning;  ///< one line
};
inline constexpr EnumArray<EventKind, EventKindInfo, static_cast<int>(EventKind::count)>
    event_kinds{{{
#define THALWEG_KIND(name, meaning) {#name, meaning},
        THALWEG_EVENT_KINDS(THALWEG_KIND)
#undef THALWEG_KIND
    }}};

/// Every timer there is. To add one: add its line here.
/// name      as in timing.json and the terminal table
/// parent    the timer that contains it, "" for none
/// category  what its own time, that of no timer within it, was spent on
/// icon      ICON's name for the same thing, "" for none
/// meaning   one line
#define THALWEG_TIMERS(TIMER)                                                                      \
  TIMER(total, "", other, "total", "the whole program on this rank, from start to end")            \
  TIMER(model_init, "total", start, "model_init", "grid, decomposition, initial state")            \
  TIMER(integrate, "total", compute, "integrate_nh", "the time loop, output included")             \
  TIMER(dynamics, "integrate", compute, "nh_solve", "tendencies and Runge-Kutta updates")          \
  TIMER(tracers, "integrate", compute, "transport", "tracer transport")                            \
  TIMER(halo_exchange, "integrate", exchange, "exch_data",                                         \
        "exchange of halo points with neighbours")                                                 \
  TIMER(extra_work, "integrate", compute, "physics",                                               \
        "repeated physics-like work ([model] extra_work)")                                         \
  TIMER(derive_output, "integrate", compute, "", "computing the fields of an output")              \
  TIMER(diagnostics, "integrate", compute, "global_sum", "mass and energy over the sphere")        \
  TIMER(output, "integrate", send, "wrt_output",                                                   \
        "all time a compute rank spends in the output library")                                    \
  TIMER(output_copy, "output", copy, "", "copying fields into the staging buffer")                 \
  TIMER(output_wait, "output", wait, "",                                                           \
        "waiting for output: full buffers (async), gather and write (serial)")                     \
  TIMER(output_define, "total", start, "",                                                         \
        "end of definition: who owns which points, staging memory")                                \
  TIMER(output_agree, "output", exchange, "",                                                      \
        "compute ranks agree that no rank failed: the fastest waits for the slowest")              \
  TIMER(output_close, "total", wait, "", "waiting at the end until every file is complete")        \
  TIMER(io_total, "", other, "", "the whole life of an I/O rank")                                  \
  TIMER(io_define, "io_total", start, "",                                                          \
        "end of definition: who owns which points, staging memory")                                \
  TIMER(io_idle, "io_total", idle, "", "an I/O rank without work")                                 \
  TIMER(io_get, "io_total", get, "", "pulling fields from compute ranks (serial: gathering them)") \
  TIMER(io_reorder, "io_total", reorder, "", "redistribution into global order and conversion")    \
  TIMER(io_create, "io_total", write, "", "making files: their room, axes and attributes")         \
  TIMER(io_write, "io_total", write, "", "writing fields")                                         \
  TIMER(io_close, "io_total", close, "", "flushing, closing and renaming files")                   \
  TIMER(plan, "io_total", reorder, "", "building redistribution plans")                            \
  TIMER(restart, "integrate", wait, "wrt_restart",                                                 \
        "all time a compute rank spends in writing restarts")                                      \
  TIMER(restart_copy, "restart", copy, "", "copying the state into the staging buffer")            \
  TIMER(restart_wait, "restart", wait, "", "waiting until the restart set before is complete")     \
  TIMER(restart_write, "", write, "", "checksums and writing of restart sets, on whoever writes")  \
  TIMER(restart_read, "total", start, "read_restart",                                              \
        "finding, checking and reading a restart set")                                             \
  TIMER(restart_rank, "", other, "", "the whole life of a restart rank")                           \
  TIMER(restart_idle, "restart_rank", idle, "", "a restart rank without work")

enum class Timer {
#define THALWEG_TIMER(name, parent, category, icon, meaning) name,
  THALWEG_TIMERS(THALWEG_TIMER)
#undef THALWEG_TIMER
      count
};

struct TimerInfo {
  const char* name;
  const char* parent;
  EventKind category;
  const char* icon;
  const char* meaning;
};
inline constexpr EnumArray<Timer, TimerInfo, static_cast<int>(Timer::count)> timer_list{{{
#define THALWEG_TIMER(name, parent, category, icon, meaning) \
  {#name, parent, EventKind::category, icon, meaning},
    THALWEG_TIMERS(THALWEG_TIMER)
#undef THALWEG_TIMER
}}};

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
  explicit ScopedTimer(Timer timer);
  ~ScopedTimer();
  ScopedTimer(const ScopedTimer&) = delete;
  ScopedTimer& operator=(const ScopedTimer&) = delete;

 private:
  Timer timer_;
  double begin_s_;
};

/// From now on this rank keeps events, in a file without a name in `directory` (48 bytes an event);
/// before, and without it, nothing is kept. Throws Error(file_system).
void collect_events(const std::string& directory);

/// Records who did what when with how many bytes. `stream`, `field` may be ""; `step` = output
/// number or -1.
void record_event(EventKind kind, double begin_s, double end_s, std::int64_t bytes = 0,
                  std::string_view stream = "", std::string_view field = "", int step = -1);

/// Buffered output that this rank was responsible for at some moment: the largest is kept.
void record_high_water(std::int64_t bytes);
/// Adds to what this rank wrote past the page cache.
void record_past_cache(std::int64_t bytes);

/// Collective over `world`: rank 0 writes directory/timing.json and, if it collected events,
/// directory/events.jsonl with those of all ranks, which are kept no longer.
/// `role`: "compute" or "io". Layouts: docs/run-directory.md.
void write_timing(MPI_Comm world, std::string_view role, const std::string& directory);

}  // namespace thalweg
