// SPDX-License-Identifier: Apache-2.0
// The life of an output: open, roles, serve, check, close. Definitions are in define.cpp, fields in
// put.cpp.
#include "thalweg/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/call_limit.hpp"
#include "base/warning.hpp"
#include "field/dates.hpp"
#include "file/entries.hpp"
#include "file/history.hpp"
#include "file/page_cache.hpp"
#include "format/attributes.hpp"
#include "output/deal/tags.hpp"
#include "output/deal/words.hpp"
#include "output/files/coverage.hpp"
#include "output/files/kept_files.hpp"
#include "output/files/looked_at.hpp"
#include "output/files/reached.hpp"
#include "output/move/io_rank.hpp"
#include "output/move/runs_exchange.hpp"
#include "output/move/spill.hpp"
#include "output/open_outputs.hpp"
#include "output/state.hpp"
#include "ranks/agreement.hpp"
#include "ranks/nodes.hpp"
#include "ranks/same_everywhere.hpp"
#include "thalweg/error.hpp"
#include "thalweg/timers.hpp"
#include "thalweg/wait.hpp"

namespace thalweg {

namespace {

bool is_served(const OutputSettings& settings) {
  return settings.restart_ranks > 0 || dedicated_io_ranks(settings) > 0;
}

void check_settings(MPI_Comm world, const OutputSettings& settings) {
  int size = 1;
  MPI_Comm_size(world, &size);
  check_output(settings, size);
  short_date_after(settings.start_date, settings.duration);  // throws on what has no name
  for (const auto& [name, text] : settings.attributes) check_attribute(name, text);
  if (open_outputs().all > 0 && is_served(settings)) refuse_second_output();
}

// Else the run would end at its first output, after a month of the model.
void check_directory(const std::string& directory) {
  std::error_code unknown;
  if (!std::filesystem::is_directory(directory, unknown)) {
    throw Error(Blame::user, fmt::format("the output directory '{}' does not exist; make it before "
                                         "the output is opened, or name another one",
                                         directory));
  }
  if (::access(directory.c_str(), W_OK | X_OK) == 0) return;
  throw Error(Blame::user,
              fmt::format("the output directory '{}' may not be written to; change its "
                          "permissions or name another one",
                          directory));
}

// Else it would be found out when buffers are full, which may be late in a run.
void check_spill(const OutputSettings& settings) {
  if (words_of(settings).backpressure == Backpressure::spill)
    Spill(settings.spill_directory, "thalweg_check");
}

}  // namespace

Output::Output(std::shared_ptr<State> state) : state_(std::move(state)) {}
Output::Output(Output&&) noexcept = default;

Output& Output::operator=(Output&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

// After a failure MPI may still use what is in there, and others cannot take part in freeing it: it
// stays until the end of the program.
Output::~Output() {
  if (!state_) return;
  if (state_->role == Role::restart) open_outputs().to_serve = false;
  state_->abandon("it was left");
  state_->watch.reset();
  static auto& left_behind = *new std::vector<std::shared_ptr<State>>;
  if (!state_->ended) left_behind.push_back(std::move(state_));
}

Output Output::open(MPI_Comm world, const OutputSettings& settings) {
  const auto alone = enter_alone();
  require_mpi_thread();
  require_none_served();
  if (settings.timeout_s > 0.0) set_wait_timeout(settings.timeout_s);  // else it is refused below
  int rank = 0, size = 1;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  throw_together(world, attempt(rank, [&] { check_settings(world, settings); }));
  require_same_settings(world, aspects_of(settings));  // before what waits without a limit
  throw_together(world, attempt(rank, [&] {
                   if (rank == 0) check_directory(settings.directory);
                 }));
  auto state = std::make_shared<State>();
  set_page_cache(parse_page_cache(settings.page_cache));
  state->definition.use(settings);
  state->definition.history = broadcast_text(world, 0, history_line());
  auto& ranks = state->ranks;
  ranks.io_ranks = dedicated_io_ranks(settings);
  const auto roles = assign_roles(size, ranks.io_ranks, settings.restart_ranks, settings.placement,
                                  nodes_of(world));
  state->role = roles[rank];
  ranks.compute_ranks = size - ranks.io_ranks - settings.restart_ranks;
  ranks.writers = ranks.io_ranks > 0                ? ranks.io_ranks
                  : !find_mode(settings.mode).teams ? 1
                                                    : ranks.compute_ranks;
  // Compute ranks come first in every communicator, whatever their place in the world.
  const int key = static_cast<int>(state->role) * size + rank;
  const auto split = [&](bool member, MPI_Comm* into) {
    MPI_Comm_split(world, member ? 0 : MPI_UNDEFINED, key, into);
  };
  std::optional<CallLimit> limit(std::in_place, "all ranks to take their roles");
  split(state->role != Role::restart, &ranks.control);
  split(state->role != Role::restart, &ranks.data);
  split(state->role == Role::compute, &ranks.compute);
  if (settings.restart_ranks > 0) split(state->role != Role::io, &state->restart);
  if (ranks.control != MPI_COMM_NULL) MPI_Comm_rank(ranks.control, &ranks.rank);
  if (state->role == Role::compute) MPI_Comm_dup(ranks.compute, &state->agreement);
  limit.reset();
  throw_together(world, attempt(rank, [&] {
                   if (state->role == Role::compute && ranks.dedicated()) check_spill(settings);
                 }));
  if (state->role == Role::restart) {
    state->ended = true;
    open_outputs().to_serve = true;
    state->watch.emplace([left = state.get()] { left->abandon("MPI_Finalize was called"); });
  } else {
    state->news.emplace(ranks, NewsTags{tag_error, tag_leave});
    state->begin();
  }
  return Output(std::move(state));
}

std::vector<const Output::State*>& Output::State::all_open() {
  static std::vector<const State*> states;
  return states;
}

void Output::State::begin() {
  all_open().push_back(this);
  ++open_outputs().ever;
  ++open_outputs().all;
  open_outputs().served += is_served(definition.settings) ? 1 : 0;
  open = true;
  watch.emplace([this] {
    if (!open) return;
    abandon("MPI_Finalize was called");
    if (failure) say_at_the_end(failure->what());
  });
}

void Output::State::end() {
  if (!std::exchange(open, false)) return;
  std::erase(all_open(), this);
  locks.reset();
  note_ended(definition);
  --open_outputs().all;
  open_outputs().served -= is_served(definition.settings) ? 1 : 0;
}

bool Output::is_compute_rank() const { return state_->role == Role::compute; }
bool Output::is_restart_rank() const { return state_->role == Role::restart; }
MPI_Comm Output::restart_comm() const {
  return state_->restart != MPI_COMM_NULL ? state_->restart : state_->ranks.compute;
}
int Output::restart_ranks() const { return state_->definition.settings.restart_ranks; }
MPI_Comm Output::compute_comm() const { return state_->ranks.compute; }
const std::optional<Error>& Output::failure() const { return state_->failure; }
bool Output::ended() const { return state_->ended; }

void Output::serve() {
  const auto alone = state_->enter();
  if (state_->role != Role::io) {
    throw Error(Blame::user, "a rank that is no I/O rank has no output to serve");
  }
  const ScopedTimer timer(Timer::io_total);
  auto& state = *state_;
  require_first_service(state.served);
  state.keep_failure([&] {
    const double begin_s = now_s();
    const auto definition = receive_definition(state.ranks, state.definition.settings, *state.news);
    add_time(Timer::io_idle, begin_s, now_s());
    state.failure = serve_io_rank(definition, state.ranks, *state.news);
    record_event(EventKind::idle, begin_s, now_s());  // but for what it did meanwhile
    state.told = true;                                // by the messages of serve_io_rank
    state.ended = !state.news->left();
    state.end();
    if (state.failure) throw Error(*state.failure);
  });
}

void Output::check() {
  const auto alone = state_->enter();
  state_->require_part("check");
  const ScopedTimer timer(Timer::output);
  state_->keep_failure([&] {
    state_->end_definition();
    state_->check();
  });
}

void Output::close() {
  auto& state = *state_;
  if (state.role == Role::restart && std::exchange(open_outputs().to_serve, false)) {
    throw Error(Blame::user, "a restart rank closed the output without having served its restart");
  }
  if (state.ended && !state.failure) return;
  const auto alone = state.enter();
  const ScopedTimer timer(Timer::output_close);
  state.keep_failure([&] {
    if (state.role == Role::io) {
      throw Error(Blame::user, "an I/O rank closed the output without having served it");
    }
    state.end_definition();
    state.hear_answer();
    state.require_nothing_open_but(std::nullopt);
    state.count_passed_over();
    const double begin_s = now_s();
    state.engine->say_close();
    state.meet(Together::closing);
    state.engine->close(false);
    record_event(EventKind::wait, begin_s, now_s());
    const auto& definition = state.definition;
    const bool continued = definition.same_files && definition.continues_after;
    if (state.ranks.rank == 0 && continued && open_outputs().ever == 1) note_left_files(definition);
    state.ended = true;
    state.end();
    state.meet(Together::closing);
  });
  if (state.beyond_run) throw Error(*state.beyond_run);  // the files are whole; the run is not
}

std::function<Coverage(ModelTime)> Output::coverage() const {
  return [state = std::weak_ptr(state_)](ModelTime time) {
    const auto output = state.lock();
    if (!output) return Coverage{};
    auto found = output->coverage(time);
    const auto directory = whole_path(output->definition.settings.directory);
    for (const auto* other : State::all_open()) {
      if (other == output.get() || whole_path(other->definition.settings.directory) != directory)
        continue;
      if (!other->engine) output->tell_of_undefined(time);
      const auto theirs = other->coverage(time);
      found.written = found.written && theirs.written;
      auto& from = found.changes_from;
      from.insert(from.end(), theirs.changes_from.begin(), theirs.changes_from.end());
    }
    return found;
  };
}

Company Output::company() const {
  const auto act = [](const std::weak_ptr<State>& kept, const auto& together) {
    const auto state = kept.lock();
    if (!state || state->role != Role::compute || (state->ended && !state->failure)) return;
    const auto alone = state->enter();
    state->keep_failure([&] { together(*state); });
  };
  return {[=, kept = std::weak_ptr(state_)](Together call) {
            act(kept, [&](State& state) { state.meet(call); });
          },
          [=, kept = std::weak_ptr(state_)] { act(kept, [](State& state) { state.hear(); }); },
          [=, kept = std::weak_ptr(state_)](ModelTime time) {
            act(kept, [&](State& state) { state.note_reached(time); });
          },
          [kept = std::weak_ptr(state_)]() -> std::optional<ModelTime> {
            const auto state = kept.lock();
            return state ? state->first_checkpoint : std::nullopt;
          },
          [kept = std::weak_ptr(state_)] {
            const auto state = kept.lock();
            return state ? state->definition.begun.run : std::string();
          },
          [kept = std::weak_ptr(state_)](auto compare, auto take) {
            const auto state = kept.lock();
            if (!state || state->engine) return;
            state->compare_more = std::move(compare);
            state->take_more = std::move(take);
          }};
}

void Output::State::note_reached(ModelTime time) {
  if (!engine) return;
  if (open_time && *open_time < time) require_nothing_open_but(std::nullopt);
  checkpoint = std::max(checkpoint, time);
  if (ranks.rank != 0) return;
  Reached reached{handed_over, {}};
  for (std::size_t index = 0; index < turns.size(); ++index) {
    const int before = definition.streams[index].schedule.steps_before(time);
    reached.next.push_back(std::max(turns[index].next, before));
  }
  try {
    write_reached(definition, time, reached);
  } catch (const std::exception&) {  // then it needs all outputs before it: nothing is lost
  }
}

void Output::State::tell_of_undefined(ModelTime time) {
  if (!undefined_beside) undefined_beside = time;  // it may be defined with its first put
  if (time <= *undefined_beside) return;
  warn_once(
      fmt::format("'{}': another output is open and not defined: until it is, or is closed, "
                  "checkpoints stay, whatever [restart] keep says",
                  definition.settings.directory));
}

Coverage Output::State::coverage(ModelTime time) const {
  if (!engine) return {};
  return {missing_output(definition, time).empty(), changes_from(definition, time)};
}

std::string Output::describe() const {
  return state_->engine ? state_->engine->describe() : state_->definition.settings.mode;
}
int Output::outputs_written() const { return state_->outputs; }
int Output::outputs_dropped() const { return state_->dropped; }
std::int64_t Output::bytes_put() const { return state_->bytes; }

}  // namespace thalweg
