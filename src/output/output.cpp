// SPDX-License-Identifier: Apache-2.0
// The four calls of an output: open, define, put, close; and how compute ranks agree on failures.
#include "thalweg/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "format/page_cache.hpp"
#include "output/dates.hpp"
#include "output/definition.hpp"
#include "output/engine.hpp"
#include "output/io_rank.hpp"
#include "output/roles.hpp"
#include "output/runs_exchange.hpp"
#include "thalweg/error.hpp"
#include "thalweg/timers.hpp"
#include "thalweg/trace.hpp"
#include "thalweg/wait.hpp"

namespace thalweg {

struct Output::State {
  Definition definition;
  Ranks ranks;
  Role role = Role::compute;
  MPI_Comm restart = MPI_COMM_NULL;  // compute ranks, then restart ranks; null on I/O ranks
  OwnedRuns runs;
  std::array<std::vector<std::int64_t>, 3> positions;  // [place] of owned points in model arrays
  std::unique_ptr<Engine> engine;                      // compute ranks, from the first put on
  std::vector<std::vector<bool>> put_seen;  // [stream][position] of the output time under way
  MPI_Comm agreement = MPI_COMM_NULL;       // compute ranks
  MPI_Request asked = MPI_REQUEST_NULL;     // the question whether a rank failed, under way
  int question = 0, answer = 0;
  int outputs = 0, dropped = 0;
  std::int64_t bytes = 0;
  bool ended = false;

  ~State() {
    // After an error on one rank alone the others cannot take part in freeing: leave it to the
    // launcher.
    if (!ended) return;
    for (auto* comm : {&agreement, &ranks.compute, &ranks.control, &ranks.data, &restart}) {
      if (*comm != MPI_COMM_NULL) MPI_Comm_free(comm);
    }
  }

  // The definitions are complete: builds the engine. Collective with the I/O ranks.
  void seal() {
    if (engine) return;
    if (ranks.dedicated() && ranks.rank == 0) send_definition(definition, ranks);
    engine = std::make_unique<Engine>(definition, ranks, runs, positions);
    for (const auto& stream : definition.streams)
      put_seen.emplace_back(stream.fields.size(), false);
  }

  void ask() {
    question = engine->failure() ? 1 : 0;
    MPI_Iallreduce(&question, &answer, 1, MPI_INT, MPI_MAX, agreement, &asked);
  }

  // Completes the question asked last; true if some rank had failed when it asked.
  bool answered_badly() {
    if (asked == MPI_REQUEST_NULL) return false;
    wait_all({&asked, 1}, "compute ranks to agree that output works");
    return answer != 0;
  }

  // All compute ranks throw the error of the lowest rank that has one.
  [[noreturn]] void raise_together() {
    int first = engine->failure() ? ranks.rank : ranks.compute_ranks;
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, agreement);
    std::string sentence = ranks.rank == first ? engine->failure()->what() : "";
    std::array<int, 2> head{static_cast<int>(sentence.size()),
                            ranks.rank == first ? static_cast<int>(engine->failure()->blame()) : 0};
    MPI_Bcast(head.data(), 2, MPI_INT, first, agreement);
    sentence.resize(static_cast<std::size_t>(head[0]));
    MPI_Bcast(sentence.data(), head[0], MPI_CHAR, first, agreement);
    if (!ended) engine->close(true);
    ended = true;
    throw Error(static_cast<Blame>(head[1]), sentence);
  }

  void check() {
    const ScopedTimer timer(Timer::output_agree);
    seal();
    engine->poll();
    if (answered_badly()) raise_together();
    ask();
  }
};

Output::Output(std::unique_ptr<State> state) : state_(std::move(state)) {}
Output::Output(Output&&) noexcept = default;
Output& Output::operator=(Output&&) noexcept = default;
Output::~Output() = default;

Output Output::open(MPI_Comm world, const OutputSettings& settings) {
  auto state = std::make_unique<State>();
  int size = 1;
  MPI_Comm_size(world, &size);
  check_output(settings, size);
  short_date_after(settings.start_date, 0.0);  // throws on a malformed date
  set_wait_timeout(settings.timeout_s);
  set_page_cache(settings.page_cache);
  state->definition.settings = settings;
  int rank = 0;
  MPI_Comm_rank(world, &rank);
  const bool may_dedicate = find_mode(settings.mode).io_ranks != IoRanks::none;
  auto& ranks = state->ranks;
  ranks.io_ranks = may_dedicate ? settings.io_ranks : 0;
  const auto roles = assign_roles(size, ranks.io_ranks, settings.restart_ranks, settings.placement,
                                  nodes_of(world));
  state->role = roles[static_cast<std::size_t>(rank)];
  ranks.compute_ranks = size - ranks.io_ranks - settings.restart_ranks;
  ranks.writers = ranks.io_ranks > 0          ? ranks.io_ranks
                  : settings.mode == "serial" ? 1
                                              : ranks.compute_ranks;
  // Compute ranks come first in every communicator, whatever their place in the world.
  const int key = static_cast<int>(state->role) * size + rank;
  const auto split = [&](bool member, MPI_Comm* into) {
    MPI_Comm_split(world, member ? 0 : MPI_UNDEFINED, key, into);
  };
  split(state->role != Role::restart, &ranks.control);
  split(state->role != Role::restart, &ranks.data);
  split(state->role == Role::compute, &ranks.compute);
  if (settings.restart_ranks > 0) split(state->role != Role::io, &state->restart);
  if (ranks.control != MPI_COMM_NULL) MPI_Comm_rank(ranks.control, &ranks.rank);
  if (state->role == Role::compute) MPI_Comm_dup(ranks.compute, &state->agreement);
  if (state->role == Role::restart) state->ended = true;
  return Output(std::move(state));
}

bool Output::is_compute_rank() const { return state_->role == Role::compute; }
bool Output::is_restart_rank() const { return state_->role == Role::restart; }
MPI_Comm Output::restart_comm() const {
  return state_->restart != MPI_COMM_NULL ? state_->restart : state_->ranks.compute;
}
MPI_Comm Output::compute_comm() const { return state_->ranks.compute; }

void Output::serve() {
  const ScopedTimer timer(Timer::io_total);
  const double begin_s = now_s();
  auto definition = receive_definition(state_->ranks, state_->definition.settings);
  add_time(Timer::io_idle, begin_s, now_s());
  record_event(EventKind::idle, begin_s, now_s());
  state_->ended = true;  // whatever happens, the compute ranks are told and nobody waits
  serve_io_rank(definition, state_->ranks);
}

void Output::define(std::span<const OwnedPoints> points) {
  for (const auto& part : points) {
    const auto place = static_cast<std::size_t>(part.place);
    state_->definition.sizes[place] = part.global_size;
    state_->runs[place] = make_runs(part.global);
    state_->positions[place].assign(part.positions.begin(), part.positions.end());
  }
}

void Output::define(const FieldInfo& field) {
  for (const auto& known : state_->definition.fields) {
    if (known.name == field.name) {
      throw Error(Blame::user, fmt::format("field '{}' is defined twice", field.name));
    }
  }
  if (state_->definition.sizes[static_cast<std::size_t>(field.place)] == 0) {
    throw Error(Blame::user,
                fmt::format("field '{}' lives on place '{}', which has no points: define "
                            "its owned points first",
                            field.name, place_names[static_cast<std::size_t>(field.place)]));
  }
  state_->definition.fields.push_back(field);
}

void Output::define(const StreamSettings& stream) {
  auto& definition = state_->definition;
  check_stream(stream, definition.fields, definition.settings, definition.sizes);
  for (const auto& known : definition.streams) {
    if (known.settings.name == stream.name) {
      throw Error(Blame::user, fmt::format("[[output]]: two streams are called '{}'", stream.name));
    }
  }
  const int first_lane = definition.lanes();
  definition.streams.push_back(
      {stream, Schedule(stream), resolve_variables(stream, definition.fields), first_lane});
}

bool Output::due(double time_s) const {
  const auto& streams = state_->definition.streams;
  return std::any_of(streams.begin(), streams.end(), [&](const Stream& stream) {
    return stream.schedule.step_at(time_s).has_value();
  });
}

bool Output::wants(std::string_view field, double time_s) const {
  const auto& definition = state_->definition;
  for (const auto& stream : definition.streams) {
    if (!stream.schedule.step_at(time_s)) continue;
    for (const int index : stream.fields) {
      if (definition.fields[static_cast<std::size_t>(index)].name == field) return true;
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
  if (view.type == ValueType::float32) return static_cast<const float*>(view.values)[offset];
  if (view.type == ValueType::int32) return static_cast<const std::int32_t*>(view.values)[offset];
  return static_cast<const double*>(view.values)[offset];
}

std::int64_t array_position(std::span<const std::int64_t> positions, std::int64_t owned) {
  return positions.empty() ? owned : positions[static_cast<std::size_t>(owned)];
}

void trace_put(const Stream& stream, int step, const FieldInfo& field, const FieldView& view,
               const OwnedRuns& runs, std::span<const std::int64_t> positions) {
  const auto& target = trace_target();
  for (const auto& run : runs[static_cast<std::size_t>(field.place)]) {
    if (target.point < run.global || target.point >= run.global + run.length) continue;
    const auto local = run.local + target.point - run.global;
    const int level = field.levels == 1 ? 0 : target.level - 1;
    const double value = value_at(view, array_position(positions, local), level);
    trace_stop("field", local, value,
               fmt::format("put '{}' [{}], {}", field.name, field.units,
                           place_names[static_cast<std::size_t>(field.place)]));
    const int file = stream.schedule.file_of(step);
    trace_stop(
        "stream", local, value,
        fmt::format("'{}' output {} at {} s, partition {} of {}, file {}", stream.settings.name,
                    step, stream.schedule.time_s(step), stream.schedule.partition_of(step) + 1,
                    stream.settings.partitions, file + 1));
  }
}

}  // namespace

void Output::put(std::string_view field, const FieldView& view, double time_s) {
  const ScopedTimer timer(Timer::output);
  state_->seal();
  const auto& definition = state_->definition;
  bool known = false;
  for (std::size_t index = 0; index < definition.streams.size(); ++index) {
    const auto& stream = definition.streams[index];
    const auto step = stream.schedule.step_at(time_s);
    for (std::size_t position = 0; position < stream.fields.size(); ++position) {
      const auto& info = definition.fields[static_cast<std::size_t>(stream.fields[position])];
      if (info.name != field) continue;
      known = true;
      if (view.type != info.type) {
        throw Error(
            Blame::user,
            fmt::format("field '{}' was put with values of another type than defined", field));
      }
      if (!step) break;
      if (state_->put_seen[index][position]) {
        throw Error(Blame::user, fmt::format("field '{}' was put twice at {} s", field, time_s));
      }
      if (trace_watches(field, *step)) {
        trace_put(stream, *step, info, view, state_->runs,
                  state_->positions[static_cast<std::size_t>(info.place)]);
      }
      state_->engine->put(static_cast<int>(index), *step, static_cast<int>(position), view);
      state_->put_seen[index][position] = true;
      const auto levels = static_cast<std::int64_t>(definition.levels_of(stream, info).size());
      state_->bytes += definition.sizes[static_cast<std::size_t>(info.place)] * levels *
                       (stream.settings.precision == "float64" ? 8 : 4);
    }
  }
  if (known) return;
  const auto& fields = definition.fields;
  if (std::none_of(fields.begin(), fields.end(),
                   [&](const FieldInfo& f) { return f.name == field; })) {
    throw Error(Blame::user, fmt::format("field '{}' was put but never defined", field));
  }
}

void Output::end_time(double time_s) {
  const ScopedTimer timer(Timer::output);
  state_->seal();
  const auto& definition = state_->definition;
  for (std::size_t index = 0; index < definition.streams.size(); ++index) {
    const auto& stream = definition.streams[index];
    const auto step = stream.schedule.step_at(time_s);
    if (!step) continue;
    auto& seen = state_->put_seen[index];
    const auto missing = std::find(seen.begin(), seen.end(), false);
    if (missing != seen.end()) {
      const auto position = static_cast<std::size_t>(missing - seen.begin());
      throw Error(
          Blame::user,
          fmt::format("stream '{}' is due at {} s, but field '{}' was not put",
                      stream.settings.name, time_s,
                      definition.fields[static_cast<std::size_t>(stream.fields[position])].name));
    }
    if (state_->engine->finish_step(static_cast<int>(index), *step)) ++state_->dropped;
    seen.assign(seen.size(), false);
    ++state_->outputs;
  }
  state_->check();
}

void Output::check() { state_->check(); }

void Output::close() {
  if (state_->ended) return;
  const ScopedTimer timer(Timer::output_close);
  state_->seal();
  if (state_->answered_badly()) state_->raise_together();
  const double begin_s = now_s();
  state_->engine->close(false);
  record_event(EventKind::wait, begin_s, now_s());
  state_->ended = true;
  state_->ask();
  if (state_->answered_badly()) state_->raise_together();
}

std::string Output::describe() const {
  return state_->engine ? state_->engine->describe() : state_->definition.settings.mode;
}
int Output::outputs_written() const { return state_->outputs; }
int Output::outputs_dropped() const { return state_->dropped; }
std::int64_t Output::bytes_put() const { return state_->bytes; }

}  // namespace thalweg
