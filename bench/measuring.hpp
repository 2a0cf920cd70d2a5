// SPDX-License-Identifier: Apache-2.0
// Wall and CPU time of steps over all ranks, and the figures made of several trials.
#pragma once

#include <functional>
#include <vector>

#include "session.hpp"

namespace thalweg::bench {

/// One trial of one method, the same on every rank.
struct Trial {
  double wall_s = 0.0;        ///< sum over steps of the slowest rank's time
  double cpu_s = 0.0;         ///< user and system time in the same intervals, sum over ranks
  double first_step_s = 0.0;  ///< of wall_s
  double plan_s = -1.0;       ///< set-up of the exchange, the slowest rank; -1 = not told
  double setup_s = 0.0;       ///< plan, buffers, communicators: define() to ready, the slowest rank
  double file_bytes = 0.0;    ///< mean size of a step's file(s)
  int steps = 0;
};

/// CPU seconds of this process so far.
double cpu_now_s();

/// Times `work` on every rank from a common start; adds wall (the slowest rank's) and CPU time to
/// the trial. Collective over session.comm. Returns the wall time.
double time_together(const Session& session, Trial& trial, const std::function<void()>& work);

/// For every step: fills session.values, then times write(step). Fills are not timed.
Trial time_steps(Session& session, int steps, const std::function<void(int)>& write);

/// Median, 5th and 95th percentile, linear between ranks of the sorted samples.
struct Spread {
  double median = 0.0, p05 = 0.0, p95 = 0.0;
};
Spread spread_of(std::vector<double> samples);

}  // namespace thalweg::bench
