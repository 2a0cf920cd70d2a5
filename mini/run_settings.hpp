// SPDX-License-Identifier: Apache-2.0
// Turns an experiment into what the library and the model want to know.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "thalweg/output.hpp"
#include "thalweg/settings.hpp"

namespace thalweg::mini {

/// `directory`: the run directory; files go to its files/.
OutputSettings output_settings(const Experiment& experiment, const std::string& directory);

/// Time steps of a run. Times of outputs and checkpoints are whole milliseconds, hence exact.
struct TimeSteps {
  std::int64_t unit_ms = 0;  ///< divides all times at which something is written
  std::int64_t steps_per_unit = 1;
  std::int64_t first = 0;  ///< step at which the run begins: 0, or that of a checkpoint
  std::int64_t count = 0;  ///< step at which it ends
  double step_s() const { return unit_ms / (1000.0 * steps_per_unit); }
  /// Nothing for a step between two milliseconds.
  std::optional<ModelTime> time(std::int64_t step) const;
  double time_s(std::int64_t step) const;  ///< of every step: the exact time, rounded once
};

/// The largest step not above `largest_step_s` that divides every output and checkpoint interval;
/// [model] time_step, where given, must do so itself or Error(user) is thrown. A run that continues
/// at `begin` keeps the step of the run `before` where that divides them too.
TimeSteps choose_time_steps(const Experiment& experiment, double largest_step_s,
                            ModelTime begin = {}, const TimeSteps& before = {});

}  // namespace thalweg::mini
