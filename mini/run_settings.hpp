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

/// One per [[output]]; an end of 0 becomes the end of the run.
std::vector<StreamSettings> stream_settings(const Experiment& experiment);

/// Time steps of a run. Times are whole milliseconds at every output, so output times are exact.
struct TimeSteps {
  std::int64_t unit_ms = 0;  ///< divides every output interval, output start and the duration
  std::int64_t steps_per_unit = 1;
  std::int64_t count = 0;  ///< steps of the run
  double step_s() const { return unit_ms / (1000.0 * steps_per_unit); }
  double time_s(std::int64_t step) const { return step * unit_ms / (1000.0 * steps_per_unit); }
};

/// The largest step not above `largest_step_s` that divides every output interval; [model]
/// time_step, where given, must do so itself or Error(user) is thrown.
TimeSteps choose_time_steps(const Experiment& experiment, double largest_step_s);

}  // namespace thalweg::mini
