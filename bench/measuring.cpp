// SPDX-License-Identifier: Apache-2.0
// Clocks and percentiles.
#include "measuring.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace thalweg::bench {

double cpu_now_s() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double time_together(const Session& session, Trial& trial, const std::function<void()>& work) {
  MPI_Barrier(session.comm);
  const double cpu_before_s = cpu_now_s(), begin_s = MPI_Wtime();
  work();
  double wall_s = MPI_Wtime() - begin_s, cpu_s = cpu_now_s() - cpu_before_s;
  MPI_Allreduce(MPI_IN_PLACE, &wall_s, 1, MPI_DOUBLE, MPI_MAX, session.comm);
  MPI_Allreduce(MPI_IN_PLACE, &cpu_s, 1, MPI_DOUBLE, MPI_SUM, session.comm);
  trial.wall_s += wall_s;
  trial.cpu_s += cpu_s;
  return wall_s;
}

Trial time_steps(Session& session, int steps, const std::function<void(int)>& write) {
  Trial trial;
  for (int step = 0; step < steps; ++step) {
    session.expected.fill(session.deal, session.rank, step, session.values.data());
    const double step_s = time_together(session, trial, [&] { write(step); });
    if (step == 0) trial.first_step_s = step_s;
  }
  trial.steps = steps;
  return trial;
}

Spread spread_of(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  const auto at = [&](double share) {
    const double place = share * static_cast<double>(samples.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const auto above = std::min(below + 1, samples.size() - 1);
    return samples[below] + (place - std::floor(place)) * (samples[above] - samples[below]);
  };
  return {at(0.5), at(0.05), at(0.95)};
}

}  // namespace thalweg::bench
