// SPDX-License-Identifier: Apache-2.0
// Hands fields over: which streams are due, what is refused, when a time is complete.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/warning.hpp"
#include "field/stored_values.hpp"
#include "output/state.hpp"
#include "redist/view_access.hpp"
#include "thalweg/error.hpp"
#include "thalweg/timers.hpp"
#include "thalweg/trace.hpp"
#include "timing/trace_calls.hpp"

namespace thalweg {

namespace {

/// Around a time between milliseconds.
ModelTime ms_before(double time_s) {
  return ModelTime::of_ms(static_cast<std::int64_t>(std::floor(time_s * 1000.0)));
}
ModelTime ms_after(double time_s) {
  return ModelTime::of_ms(static_cast<std::int64_t>(std::ceil(time_s * 1000.0)));
}

}  // namespace

std::optional<ModelTime> Output::State::time_of(double time_s, Given given) {
  const auto time = ModelTime::at(time_s);
  constexpr double drifted = 0.25;  // of a step: hardly another step is meant
  // The same time may be computed in several ways.
  const double same = std::max(1e-6, 1e-9 * std::abs(time_s));
  auto& [latest_s, step_s] = clocks[given];
  const double away = latest_s ? std::abs(time_s - *latest_s) : 0.0;
  double step = away > same ? away : step_s;
  if (step_s > 0.0) step = std::min(step, step_s);
  // A question may look ahead: where each step has its end_time, that tells how long steps are.
  if (given == in_question && ends_each_step) step = 0.0;
  if (!time) require_undrifted(time_s, drifted * step);
  if (given == with_put && !(time && is_due(*time))) ends_each_step = true;
  if (latest_s && away <= same) return time;
  latest_s = time_s;
  step_s = away;
  return time;
}

bool Output::State::is_due(ModelTime time) const {
  return std::ranges::any_of(definition.streams, [&](const Stream& stream) {
    return stream.schedule.step_at(time).has_value();
  });
}

void Output::State::require_undrifted(double time_s, double nearest) const {
  for (const auto& stream : definition.streams) {
    for (const auto near : {ms_before(time_s), ms_after(time_s)}) {
      if (std::abs(time_s - near.seconds()) > nearest || !stream.schedule.step_at(near)) continue;
      throw Error(
          Blame::user,
          fmt::format("{:.6f} s is no whole millisecond, but stream '{}' is due at {} s: a "
                      "sum of time steps has drifted; multiply their number by their length",
                      time_s, stream.settings.name, near.seconds()));
    }
  }
}

std::optional<ModelTime> Output::State::time_asked_for(double time_s, Given given) {
  const auto time = time_of(time_s, given);
  latest = std::max(latest, time.value_or(ms_after(time_s)));
  if (time) require_within_run(*time);
  return time;
}

// Streams that end before the run were told to; but what a run writes after its own end, which may
// be the default, would be lost without a word.
void Output::State::require_within_run(ModelTime time) {
  const auto run_end = definition.settings.duration;
  if (run_end == ModelTime() || time <= run_end) return;
  for (const auto& stream : definition.streams) {
    if (stream.settings.end < run_end || !stream.schedule.is_due_but_for_its_end(time)) continue;
    beyond_run.emplace(
        Blame::user,
        fmt::format("stream '{}' would be due at {} s, but the run ends at {} s, [time] duration: "
                    "nothing after that is written; make duration as long as the run, or give the "
                    "stream an end before it",
                    stream.settings.name, time.seconds(), run_end.seconds()));
    throw BeyondRun(*beyond_run);
  }
}

bool Output::due(double time_s) const {
  const auto alone = state_->enter();
  const auto time = state_->time_asked_for(time_s, State::in_question);
  if (state_->ended_time && time && *time <= *state_->ended_time) return false;
  return time && state_->is_due(*time);
}

bool Output::wants(std::string_view field, double time_s) const {
  const auto alone = state_->enter();
  const auto& definition = state_->definition;
  const auto time = state_->time_asked_for(time_s, State::in_question);
  if (!time || (state_->ended_time && *time <= *state_->ended_time)) return false;
  for (const auto& stream : definition.streams) {
    if (!stream.schedule.step_at(*time)) continue;
    for (const int index : stream.fields) {
      if (definition.fields[index].name == field) return true;
    }
  }
  return false;
}

namespace {

double value_at(const FieldView& view, std::int64_t point, int level) {
  const auto in_block = view.block_points == 0 ? point : point % view.block_points;
  const auto block = view.block_points == 0 ? 0 : point / view.block_points;
  const auto offset =
      in_block * view.point_stride + level * view.level_stride + block * view.block_stride;
  return shown_value(view.values, offset, view.type);
}

std::int64_t array_position(std::span<const std::int64_t> positions, std::int64_t owned) {
  return positions.empty() ? owned : positions[owned];
}

/// Tells of the watched value, if it is this rank's.
bool trace_put(const Stream& stream, int step, const FieldInfo& field, const FieldView& view,
               const OwnedRuns& runs, std::span<const std::int64_t> positions) {
  const auto& target = trace_target();
  for (const auto& run : runs[field.place]) {
    if (target.point < run.global || target.point >= run.global + run.length) continue;
    const auto local = run.local + target.point - run.global;
    const int level = field.levels == 1 ? 0 : target.level - 1;
    const double value = value_at(view, array_position(positions, local), level);
    trace_stop("field", local, value,
               fmt::format("put '{}' [{}], {}", field.name, field.units, place_names[field.place]));
    const int file = stream.schedule.file_of(step);
    trace_stop(
        "stream", local, value,
        fmt::format("'{}' output {} at {} s, partition {} of {}, file {}", stream.settings.name,
                    step, stream.schedule.time(step).seconds(),
                    stream.schedule.partition_of(step) + 1, stream.settings.partitions, file + 1));
    return true;
  }
  return false;
}

}  // namespace

void Output::put(std::string_view field, const FieldView& view, ModelTime time) {
  const auto alone = state_->enter();
  state_->require_part("put");
  const ScopedTimer timer(Timer::output);
  state_->keep_failure([&] { state_->end_definition(); });
  state_->require_within_run(time);
  try {
    state_->put(field, view, time);
    if (const auto before = state_->refused.find(field); before != state_->refused.end())
      state_->refused.erase(before);
  } catch (const Error& error) {
    if (!state_->failure) state_->refused.insert_or_assign(std::string(field), error.what());
    throw;
  }
}

void Output::put(std::string_view field, const FieldView& view, double time_s) {
  const auto alone = state_->enter();
  state_->require_part("put");
  if (const auto time = state_->time_asked_for(time_s, State::with_put)) put(field, view, *time);
}

FieldView Output::State::readable(const FieldView& view, const FieldInfo& field) {
  auto found = view;
  found.values = host_values.of_field(field.name)
                     .of(view.values, addressing_of(view, field.levels, {}), owned[field.place],
                         positions[field.place]);
  return found;
}

void Output::State::put(std::string_view field, const FieldView& view, ModelTime time) {
  bool known = false;
  std::optional<FieldView> values;  // once for all streams
  for (std::size_t index = 0; index < definition.streams.size(); ++index) {
    const auto& stream = definition.streams[index];
    const auto step = stream.schedule.step_at(time);
    for (std::size_t position = 0; position < stream.fields.size(); ++position) {
      const auto& info = definition.fields[stream.fields[position]];
      if (info.name != field) continue;
      known = true;
      const auto points = step ? owned[info.place] : 0;
      if (const auto fault = fault_of_view(view, info, points, positions[info.place]);
          !fault.empty()) {
        throw Error(Blame::user, fmt::format("field '{}' was put {}", field, fault));
      }
      if (!step) break;
      if (ended_time && time <= *ended_time) {
        throw Error(Blame::user,
                    fmt::format("field '{}' was put at {} s, but end_time was called for {} s: "
                                "times go forward",
                                field, time.seconds(), ended_time->seconds()));
      }
      require_after_checkpoint(time);
      require_nothing_open_but(time);
      if (put_seen[index][position]) {
        throw Error(Blame::user,
                    fmt::format("field '{}' was put twice at {} s", field, time.seconds()));
      }
      try {
        if (!values) values = readable(view, info);
        const TraceScope scope(
            trace_watches(field, *step) &&
            trace_put(stream, *step, info, *values, runs, positions[info.place]));
        engine->sender().put(static_cast<int>(index), *step, static_cast<int>(position), *values);
      } catch (const std::exception& error) {
        fail_and_throw(error);
      }
      put_seen[index][position] = true;
      open_time = time;
      const auto levels = static_cast<std::int64_t>(definition.levels_of(stream, info).size());
      bytes += definition.sizes[info.place] * levels *
               static_cast<std::int64_t>(bytes_of(stream.type_of(info)));
    }
  }
  if (known) return;
  std::vector<std::string> names;
  for (const auto& info : definition.fields) names.push_back(info.name);
  if (std::find(names.begin(), names.end(), field) != names.end()) return;
  throw Error(Blame::user, fmt::format("field '{}' was put but never defined.{}", field,
                                       did_you_mean(std::string(field), names)));
}

void Output::end_time(ModelTime time) {
  const auto alone = state_->enter();
  state_->require_part("end_time");
  const ScopedTimer timer(Timer::output);
  state_->clocks[State::with_put].latest_s = time.seconds();
  state_->require_within_run(time);
  state_->keep_failure([&] { state_->end_time(time); });
}

void Output::end_time(double time_s) {
  const auto alone = state_->enter();
  state_->require_part("end_time");
  if (const auto time = state_->time_asked_for(time_s, State::with_put)) return end_time(*time);
  state_->keep_failure([&] { state_->end_between(time_s); });
}

void Output::State::require_after_checkpoint(ModelTime time) const {
  if (time >= checkpoint) return;
  throw Error(Blame::user,
              fmt::format("an output of {} s comes after the checkpoint of {} s was written: a run "
                          "that continues there would not have it; write checkpoints after the "
                          "outputs up to their time",
                          time.seconds(), checkpoint.seconds()));
}

void Output::State::require_nothing_open_but(std::optional<ModelTime> time) const {
  if (!open_time || open_time == time) return;
  throw Error(Blame::user,
              fmt::format("fields were put at {0} s, but end_time({0}) was never called: call it "
                          "after the last put of every output time",
                          open_time->seconds()));
}

void Output::State::pass_over(ModelTime reached) {
  for (std::size_t index = 0; index < definition.streams.size(); ++index) {
    const auto& stream = definition.streams[index];
    auto& turn = turns[index];
    const int missed = stream.schedule.steps_before(reached) - turn.next;
    if (missed <= 0) continue;
    if (turn.passed_over == 0 && ranks.rank == 0) {
      warn_once(fmt::format(
          "stream '{}' was due at {} s, but no put came: the model went on to {} "
          "s; make the interval a multiple of the model's time step",
          stream.settings.name, stream.schedule.time(turn.next).seconds(), reached.seconds()));
    }
    turn.passed_over += missed;
    turn.next += missed;
  }
}

void Output::State::count_passed_over() {
  // Questions may look ahead of what the model has done.
  pass_over(ends_each_step && ended_time ? *ended_time : latest);
  for (std::size_t index = 0; index < definition.streams.size(); ++index) {
    if (turns[index].passed_over == 0 || ranks.rank != 0) continue;
    warn_once(fmt::format("stream '{}': output times passed over, which are in no file: {}",
                          definition.streams[index].settings.name, turns[index].passed_over));
  }
}

void Output::State::require_forward(double time_s) const {
  if (!ended_time || time_s >= ended_time->seconds()) return;
  throw Error(Blame::user, fmt::format("end_time was called for {} s after {} s: times go forward",
                                       time_s, ended_time->seconds()));
}

void Output::State::end_between(double time_s) {
  require_nothing_open_but(std::nullopt);
  require_forward(time_s);
  ended_time = ms_before(time_s);
  first_checkpoint = ms_after(time_s);
  if (engine) pass_over(ms_after(time_s));
}

void Output::State::end_time(ModelTime time) {
  const double begin_s = now_s();
  end_definition();
  require_nothing_open_but(time);
  require_forward(time.seconds());
  ended_time = first_checkpoint = time;
  pass_over(time);
  if (!ranks.dedicated()) {  // they write themselves: are all here for the same?
    hear_answer();
    ask(Together::output_time, time);
  }
  for (std::size_t index = 0; index < definition.streams.size(); ++index) {
    const auto& stream = definition.streams[index];
    const auto step = stream.schedule.step_at(time);
    if (!step || *step < turns[index].next) continue;  // not due, or complete already
    auto& seen = put_seen[index];
    const auto missing = std::find(seen.begin(), seen.end(), false);
    if (missing != seen.end()) {
      const std::size_t position = missing - seen.begin();
      const auto& name = definition.fields[stream.fields[position]].name;
      std::string why;
      if (const auto own = refused.find(name); own != refused.end()) {
        why = "; its put was refused: " + own->second;
      } else if (!refused.empty()) {  // under another name, perhaps
        why = "; another put was refused: " + refused.begin()->second;
      }
      throw Error(Blame::user,
                  fmt::format("stream '{}' is due at {} s, but field '{}' was not put{}",
                              stream.settings.name, time.seconds(), name, why));
    }
    if (!ranks.dedicated()) hear_answer();  // before anything of a time is mixed with another's
    if (engine->finish_step(static_cast<int>(index), *step)) ++dropped;
    handed_over[definition.lane_of(static_cast<int>(index), *step)] = *step;
    seen.assign(seen.size(), false);
    turns[index].next = *step + 1;
    ++outputs;
  }
  open_time.reset();
  refused.clear();
  check();
  writers_answer = !ranks.dedicated();
  record_event(EventKind::wait, begin_s, now_s());  // but for what it did meanwhile
}

}  // namespace thalweg
