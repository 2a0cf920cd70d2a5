// SPDX-License-Identifier: Apache-2.0
// Reads the tables of an experiment; chooses the time step.
#include "run_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "equations.hpp"
#include "thalweg/error.hpp"
#include "thalweg/grid.hpp"
#include "thalweg/restart.hpp"

namespace thalweg::mini {
namespace {

std::int64_t whole_ms(double seconds) { return ModelTime(seconds).ms(); }

/// The largest time that divides the duration, the begin, every interval and start of the outputs,
/// and the interval of checkpoints, ms.
std::int64_t common_unit_ms(const Experiment& experiment, ModelTime begin) {
  std::int64_t unit_ms = whole_ms(experiment.table("time").number("duration"));
  unit_ms = std::gcd(unit_ms, begin.ms());
  const SettingTable& restart = experiment.table("restart");
  if (restart.text("mode") != "none") {
    unit_ms = std::gcd(unit_ms, whole_ms(restart.number("interval")));
  }
  for (const SettingTable& output : experiment.outputs) {
    unit_ms = std::gcd(unit_ms, whole_ms(output.number("interval")));
    unit_ms = std::gcd(unit_ms, whole_ms(output.number("start")));
  }
  return unit_ms;
}

}  // namespace

OutputSettings output_settings(const Experiment& experiment, const std::string& directory) {
  OutputSettings settings = thalweg::output_settings(experiment, directory);
  settings.restart_ranks = restart_ranks(experiment);
  const SettingTable& model = experiment.table("model");
  settings.grid_uuid = Grid::parse(settings.grid).uuid();  // its points are numbered as in that
  settings.attributes.try_emplace("title",
                                  fmt::format("Thalweg mini-model, case {}", model.text("case")));
  settings.attributes.try_emplace(
      "source", fmt::format("Thalweg mini-model: {} on the hexagonal C-grid {}, {} layers",
                            equations_of(experiment).source, experiment.table("grid").text("name"),
                            model.integer("levels")));
  return settings;
}

std::optional<ModelTime> TimeSteps::time(std::int64_t step) const {
  const auto whole_ms = step / steps_per_unit * unit_ms;
  const auto rest = step % steps_per_unit * unit_ms;  // ms times steps_per_unit
  if (rest % steps_per_unit != 0) return std::nullopt;
  return ModelTime::of_ms(whole_ms + rest / steps_per_unit);
}

double TimeSteps::time_s(std::int64_t step) const {
  const auto whole_ms = static_cast<double>(step / steps_per_unit * unit_ms);
  const auto rest = static_cast<double>(step % steps_per_unit * unit_ms);
  return (whole_ms + rest / static_cast<double>(steps_per_unit)) / 1000.0;
}

TimeSteps choose_time_steps(const Experiment& experiment, double largest_step_s, ModelTime begin,
                            const TimeSteps& before) {
  TimeSteps steps;
  steps.unit_ms = common_unit_ms(experiment, begin);
  if (steps.unit_ms < 1) {
    throw Error(
        Blame::user,
        "[[output]] interval, [[output]] start, [restart] interval and [time] duration have no "
        "common divisor of at least 1 ms; choose whole seconds.");
  }
  const double wanted_s = experiment.table("model").number("time_step");
  if (wanted_s > 0.0) {
    const std::int64_t wanted_ms = whole_ms(wanted_s);
    if (steps.unit_ms % wanted_ms != 0) {
      throw Error(
          Blame::user,
          fmt::format(
              "[model] time_step: {} s does not divide {} s, the common divisor of the "
              "intervals of outputs and checkpoints and [time] duration; choose a divisor, or 0 "
              "for the largest stable step.",
              wanted_s, steps.unit_ms / 1000.0));
    }
    steps.steps_per_unit = steps.unit_ms / wanted_ms;
  } else if (before.unit_ms > 0 && steps.unit_ms * before.steps_per_unit % before.unit_ms == 0) {
    steps.steps_per_unit = steps.unit_ms * before.steps_per_unit / before.unit_ms;
  } else {
    steps.steps_per_unit =
        static_cast<std::int64_t>(std::ceil(steps.unit_ms / 1000.0 / largest_step_s));
  }
  const std::int64_t duration_ms = whole_ms(experiment.table("time").number("duration"));
  steps.first = begin.ms() / steps.unit_ms * steps.steps_per_unit;
  steps.count = duration_ms / steps.unit_ms * steps.steps_per_unit;
  return steps;
}

}  // namespace thalweg::mini
