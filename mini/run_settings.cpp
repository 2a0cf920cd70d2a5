// SPDX-License-Identifier: Apache-2.0
// Reads the tables of an experiment; chooses the time step.
#include "run_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "thalweg/error.hpp"

namespace thalweg::mini {
namespace {

std::int64_t whole_ms(double seconds) { return std::llround(seconds * 1000.0); }

/// The largest time that divides the duration, and every interval and start of the outputs, ms.
std::int64_t common_unit_ms(const Experiment& experiment) {
  std::int64_t unit_ms = whole_ms(experiment.table("time").number("duration"));
  for (const SettingTable& output : experiment.outputs) {
    unit_ms = std::gcd(unit_ms, whole_ms(output.number("interval")));
    unit_ms = std::gcd(unit_ms, whole_ms(output.number("start")));
  }
  return unit_ms;
}

}  // namespace

OutputSettings output_settings(const Experiment& experiment, const std::string& directory) {
  const SettingTable& io = experiment.table("io");
  const SettingTable& model = experiment.table("model");
  OutputSettings settings;
  settings.mode = io.text("mode");
  settings.io_ranks = static_cast<int>(io.integer("ranks"));
  settings.transport = io.text("transport");
  settings.directory = directory + "/files";
  settings.start_date = experiment.table("time").text("start");
  settings.title = fmt::format("Thalweg mini-model, case {}", model.text("case"));
  settings.source =
      fmt::format("Thalweg mini-model: shallow water on the hexagonal C-grid {}, {} layers",
                  experiment.table("grid").text("name"), model.integer("levels"));
  settings.grid = experiment.table("grid").text("name");
  settings.timeout_s = io.number("timeout");
  return settings;
}

std::vector<StreamSettings> stream_settings(const Experiment& experiment) {
  const double duration_s = experiment.table("time").number("duration");
  std::vector<StreamSettings> streams;
  for (const SettingTable& output : experiment.outputs) {
    StreamSettings stream;
    stream.name = output.text("name");
    stream.variables = output.texts("variables");
    stream.interval_s = output.number("interval");
    stream.start_s = output.number("start");
    const double end_s = output.number("end");
    stream.end_s = end_s > 0.0 ? std::min(end_s, duration_s) : duration_s;
    stream.file_interval_s = output.number("file_interval");
    const auto& levels = output.integers("levels");
    stream.levels.assign(levels.begin(), levels.end());
    stream.place = output.text("place");
    stream.precision = output.text("precision");
    stream.partitions = static_cast<int>(output.integer("partitions"));
    stream.layout = output.text("layout");
    streams.push_back(std::move(stream));
  }
  return streams;
}

TimeSteps choose_time_steps(const Experiment& experiment, double largest_step_s) {
  TimeSteps steps;
  steps.unit_ms = common_unit_ms(experiment);
  if (steps.unit_ms < 1) {
    throw Error(
        Blame::user,
        "[[output]] interval, [[output]] start and [time] duration have no common divisor of at "
        "least 1 ms; choose whole seconds.");
  }
  const double wanted_s = experiment.table("model").number("time_step");
  if (wanted_s > 0.0) {
    const std::int64_t wanted_ms = std::max<std::int64_t>(1, whole_ms(wanted_s));
    if (steps.unit_ms % wanted_ms != 0) {
      throw Error(
          Blame::user,
          fmt::format(
              "[model] time_step: {} s does not divide {} s, the common divisor of the "
              "output intervals and [time] duration; choose a divisor, or 0 for the largest "
              "stable step.",
              wanted_s, steps.unit_ms / 1000.0));
    }
    steps.steps_per_unit = steps.unit_ms / wanted_ms;
  } else {
    steps.steps_per_unit =
        static_cast<std::int64_t>(std::ceil(steps.unit_ms / 1000.0 / largest_step_s));
  }
  const std::int64_t duration_ms = whole_ms(experiment.table("time").number("duration"));
  steps.count = duration_ms / steps.unit_ms * steps.steps_per_unit;
  return steps;
}

}  // namespace thalweg::mini
