// SPDX-License-Identifier: Apache-2.0
// Turns an experiment into what the library and the model want to know.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "thalweg/output.hpp"
#include "thalweg/settings.hpp"

namespace thalweg::mini {

/// `directory`: the run directory; files go to its files/.
OutputSettings output_settings(const Experiment& experiment, const std::string& directory);

/// Time steps of a run. Times are whole milliseconds at every output, so output times are exact.
struct TimeSteps {
  std::int64_t unit_ms = 0;  ///< divides all times at which something is written
  std::int64_t steps_per_unit = 1;
  std::int64_t first = 0;  ///< step at which the run begins: 0, or that of a checkpoint
  std::int64_t count = 0;  ///< step at which it ends
  double step_s() const { return unit_ms / (1000.0 * steps_per_unit); }
  double time_s(std::int64_t step) const { return step * unit_ms / (1000.0 * steps_per_unit); }
  /// Is the time of this step a multiple of the interval?
  bool at_multiple_of(double interval_s, std::int64_t step) const;
};

/// The largest step not above `largest_step_s` that divides every output and checkpoint interval;
/// [model] time_step, where given, must do so itself or Error(user) is thrown. A run that continues
/// at `begin_s` keeps the step of the run `before` where that divides them too.
TimeSteps choose_time_steps(const Experiment& experiment, double largest_step_s,
                            double begin_s = 0.0, const TimeSteps& before = {});

}  // namespace thalweg::mini
