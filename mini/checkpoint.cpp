// SPDX-License-Identifier: Apache-2.0
// The state as restart fields; numbers as hexadecimal text, so that no bit is lost.
#include "checkpoint.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "thalweg/error.hpp"

namespace thalweg::mini {
namespace {

std::string hexadecimal(std::span<const double> values) {
  std::string text;
  for (const double value : values) text += fmt::format("{}{:a}", text.empty() ? "" : " ", value);
  return text;
}

std::vector<double> from_hexadecimal(const std::string& text) {
  std::vector<double> values;
  std::istringstream words(text);
  for (std::string word; words >> word;) values.push_back(std::strtod(word.c_str(), nullptr));
  return values;
}

const std::string& scalar(const RestartSet& set, const std::string& name) {
  const auto found = set.scalars.find(name);
  if (found != set.scalars.end()) return found->second;
  throw Error(Blame::user,
              fmt::format("[restart] read: '{}' has no '{}'; it is not a checkpoint of "
                          "the mini-model",
                          set.path, name));
}

constexpr const char* setting_prefix = "model.";  // of a scalar: the setting when it was written
constexpr std::array deciding_the_step{"cfl", "time_scheme", "time_step"};

std::string text_of(const SettingValue& value) {
  return std::visit([](const auto& typed) { return fmt::format("{}", typed); }, value);
}

/// What of [model] differs from the run that wrote the checkpoint: values change from there on.
std::vector<std::string> changes_since(const RestartSet& set, const SettingTable& model) {
  std::vector<std::string> notes;
  for (const auto& [key, value] : model.values()) {
    const auto before = set.scalars.find(setting_prefix + key);
    if (before == set.scalars.end() || before->second == text_of(value)) continue;
    notes.push_back(
        key == "depth_spread"
            ? fmt::format("[model] {} = {} changes nothing: it says how a run begins, and this one "
                          "began with {}",
                          key, text_of(value), before->second)
            : fmt::format("[model] {} is {} from {} s on; until then it was {}", key,
                          text_of(value), set.time.seconds(), before->second));
  }
  return notes;
}

/// Whether what the largest stable step follows from is as it was.
bool keeps_its_step(const RestartSet& set, const SettingTable& model) {
  return std::all_of(deciding_the_step.begin(), deciding_the_step.end(), [&](const char* key) {
    const auto before = set.scalars.find(std::string(setting_prefix) + key);
    return before == set.scalars.end() || before->second == text_of(model.values().at(key));
  });
}

void require_same(const RestartSet& set, const std::string& name, const std::string& wanted) {
  if (scalar(set, name) == wanted) return;
  throw Error(Blame::user,
              fmt::format("[restart] read: '{}' was written with {} '{}', but this experiment has "
                          "'{}'",
                          set.path, name, scalar(set, name), wanted));
}

}  // namespace

std::vector<OwnedPoints> owned_points(const Mesh& mesh) {
  std::vector<OwnedPoints> points;
  for (const Place place : {Place::cell, Place::edge, Place::vertex}) {
    const PlacePart& part = mesh.part(place);
    points.push_back({place, part.global_size, std::span(part.global).first(part.owned)});
  }
  return points;
}

std::vector<FieldInfo> state_fields(const State& state) {
  std::vector<FieldInfo> fields;
  for (const StateField& field : state.fields) fields.push_back(field.info);
  return fields;
}

std::vector<FieldView> state_views(const State& state) {
  std::vector<FieldView> views;
  for (const StateField& field : state.fields) {
    views.push_back({field.values.data(), field.info.levels, 1});
  }
  return views;
}

RestartScalars checkpoint_scalars(const Experiment& experiment, const TimeSteps& steps,
                                  const Diagnostics& first) {
  const auto& model = experiment.table("model");
  // Units in names are those of the shallow-water equations, of which earlier checkpoints are.
  RestartScalars scalars{{"grid", experiment.table("grid").text("name")},
                         {"case", model.text("case")},
                         {"step_unit_ms", std::to_string(steps.unit_ms)},
                         {"steps_per_unit", std::to_string(steps.steps_per_unit)},
                         {"first_mass_m3", hexadecimal(first.mass)},
                         {"first_tracer_m3", hexadecimal(first.tracer)},
                         {"first_energy_m5_s2", hexadecimal({&first.energy, 1})}};
  for (const auto& [key, value] : model.values()) scalars[setting_prefix + key] = text_of(value);
  return scalars;
}

bool goes_on_in(const std::string& directory, const Experiment& experiment) {
  std::error_code ignored;  // of one that is not there
  return std::filesystem::equivalent(experiment.table("restart").text("read"), directory, ignored);
}

Start find_start(MPI_Comm comm, const Experiment& experiment, const std::string& directory) {
  const std::string& run = experiment.table("restart").text("read");
  Start start;
  if (run.empty()) return start;
  start.at =
      find_beginning(comm, run + "/restart", directory + "/restart",
                     mini::output_settings(experiment, directory), stream_settings(experiment));
  const auto& set = start.at.set;
  const bool same_files = start.at.same_files;
  if (set.path.empty() && !same_files) {
    throw Error(Blame::user,
                fmt::format("[restart] read: '{}' holds no whole checkpoint below 'restart'", run));
  }
  start.notes = set.damaged;
  for (const auto& unfit : set.unfit) start.notes.push_back("passes over " + unfit);
  if (set.path.empty()) {
    start.notes.push_back(
        fmt::format("begins at the start again, and so do its files: '{}' holds no checkpoint to "
                    "continue from",
                    run));
    return start;
  }
  require_same(set, "grid", experiment.table("grid").text("name"));
  require_same(set, "case", experiment.table("model").text("case"));
  Continuation from;
  from.steps.unit_ms = std::atoll(scalar(set, "step_unit_ms").c_str());
  from.steps.steps_per_unit = std::atoll(scalar(set, "steps_per_unit").c_str());
  from.keeps_step = keeps_its_step(set, experiment.table("model"));
  from.first.mass = from_hexadecimal(scalar(set, "first_mass_m3"));
  from.first.tracer = from_hexadecimal(scalar(set, "first_tracer_m3"));
  from.first.energy = std::strtod(scalar(set, "first_energy_m5_s2").c_str(), nullptr);
  const double end_s = experiment.table("time").number("duration");
  // At the very end there are still files to complete.
  if (set.time.seconds() > end_s || (set.time.seconds() == end_s && !same_files)) {
    throw Error(Blame::user,
                fmt::format("[restart] read: '{}' is at {} s, and [time] duration ends "
                            "the run at {} s; give a longer one",
                            set.path, set.time.seconds(), end_s));
  }
  start.notes.push_back(fmt::format("continues at {} s from '{}'", set.time.seconds(), set.path));
  for (auto& note : changes_since(set, experiment.table("model"))) start.notes.push_back(note);
  start.from = std::move(from);
  return start;
}

void read_state(MPI_Comm comm, const RestartSet& set, const Mesh& mesh, State& state) {
  std::vector<MutableFieldView> views;
  for (StateField& field : state.fields) {
    views.push_back({field.values.data(), field.info.levels, 1});
  }
  read_restart(comm, set, owned_points(mesh), state_fields(state), views);
}

}  // namespace thalweg::mini
