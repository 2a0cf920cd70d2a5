// SPDX-License-Identifier: Apache-2.0
// One update of a Runge-Kutta stage: the state the next stage starts from, and the sum.
#pragma once

#include <cstddef>
#include <source_location>
#include <span>

namespace thalweg::mini {

inline constexpr auto runge_kutta_update_source = std::source_location::current();

/// sum   = (first ? base : sum) + sum_step * tendency
/// stage = base + stage_step * tendency
/// All arrays [size]; steps in s (weight of the scheme times the time step).
inline void runge_kutta_update(std::size_t size, bool first, double sum_step, double stage_step,
                               const double* base, const double* tendency, double* sum,
                               double* stage) {
  const double* from = first ? base : sum;
#pragma GCC ivdep
  for (std::size_t i = 0; i < size; ++i) {
    const double rate = tendency[i];
    sum[i] = from[i] + sum_step * rate;
    stage[i] = base[i] + stage_step * rate;
  }
}

/// The last stage: base = sum + sum_step * tendency.
inline void runge_kutta_finish(std::size_t size, double sum_step, const double* sum,
                               const double* tendency, double* base) {
#pragma GCC ivdep
  for (std::size_t i = 0; i < size; ++i) base[i] = sum[i] + sum_step * tendency[i];
}

}  // namespace thalweg::mini
