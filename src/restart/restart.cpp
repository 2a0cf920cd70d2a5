// SPDX-License-Identifier: Apache-2.0
// The calls of a restart: open, define, write, check, close.
#include "thalweg/restart.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <optional>

#include "base/call_limit.hpp"
#include "base/wait_companion.hpp"
#include "field/dates.hpp"
#include "field/names.hpp"
#include "file/file_lock.hpp"
#include "output/open_outputs.hpp"
#include "ranks/agreement.hpp"
#include "ranks/finalize_watch.hpp"
#include "ranks/one_caller.hpp"
#include "ranks/same_everywhere.hpp"
#include "redist/host_values.hpp"
#include "redist/ownership.hpp"
#include "restart/mode.hpp"
#include "restart/staged.hpp"
#include "thalweg/timers.hpp"
#include "thalweg/wait.hpp"

namespace thalweg {

namespace {

/// While it lives, whoever waits hears of ranks that have left the output.
class Listener final : public WaitCompanion {
 public:
  explicit Listener(const std::function<void()>& hear) : hear_(hear) {}
  void listen() override {
    if (hear_) hear_();
  }
  void say_working() override {}
  void ask() override {}
  std::string silent() const override { return {}; }

 private:
  const std::function<void()>& hear_;
};

}  // namespace

struct Restart::State {
  RestartTeam team;
  RankPoints points;
  std::vector<FieldInfo> fields;
  std::unique_ptr<RestartMode> mode;  // compute ranks, from the first write on
  bool defined = false, served = false, ended = false, left = false;
  std::optional<DirectoryLock> lock;  // rank 0, of the sets
  std::optional<Error> failure;       // what every later call throws
  std::optional<FinalizeWatch> watch;
  std::optional<Retention> retention;
  Company company;                                                // of the output, if there is one
  std::shared_ptr<State*> self = std::make_shared<State*>(this);  // while this lives

  ~State() {
    leave();
    // After an error on one rank alone the others cannot take part in freeing: leave it to the
    // launcher.
    int over = 0;
    MPI_Finalized(&over);
    if (!ended || over != 0) return;
    for (auto* comm : {&team.compute, &team.control, &team.data}) {
      if (*comm != MPI_COMM_NULL) MPI_Comm_free(comm);
    }
  }

  // Without close: restart ranks are told all the same, and complete a set that is under way.
  void leave() noexcept {
    watch.reset();
    if (!std::exchange(left, true) && !ended && team.is_compute() &&
        team.control != MPI_COMM_NULL && may_call_mpi()) {
      make_mode();
    }
    mode.reset();
  }

  void make_mode() {
    if (mode) return;
    const auto& entry = find_restart_mode(team.settings.mode);
    mode = entry.make(team, entry);
  }

  // One thread at a time, none after a failure; what `act` throws is the failure of this restart.
  template <class Act>
  void call(const Act& act) {
    const auto alone = enter_alone();
    if (failure) throw Error(*failure);
    try {
      require_mpi_thread();
      const Listener listener(company.hear);
      act();
    } catch (const std::exception& error) {
      failure = error_of(error);
      throw Error(*failure);
    }
  }

  // Every point has one rank: what is missing could never be read.
  void check_definitions(const AwaitRequest& wait) const {
    std::string text;
    for (const auto& field : fields) {
      text += fmt::format("{}: {} {} {} ", field.name, static_cast<int>(field.place), field.levels,
                          static_cast<int>(field.type));
    }
    PerPlace<std::int64_t> sizes{};
    OwnedRuns runs;
    for (std::size_t place = 0; place < 3; ++place) {
      sizes[place] = points[place].global_size;
      runs[place] = points[place].runs;
    }
    const std::array aspects{Aspect{"fields of the state", text},
                             Aspect{"global sizes of their places", fmt::format("{}", sizes)}};
    auto fault = difference_among(team.compute, aspects, wait);
    if (fault.empty() && !fields.empty()) fault = ownership_fault(team.compute, sizes, runs, wait);
    if (!fault.empty()) throw Error(Blame::user, fault);
  }

  // Rank 0: another output's sets would replace those of this one, time by time.
  void take_directory() {
    if (team.rank != 0 || fields.empty() || lock) return;
    const auto& directory = team.settings.directory;
    lock.emplace(directory, fmt::format("another output writes checkpoints into '{}'; give each "
                                        "output that writes state a directory of its own, or "
                                        "define all of the state in one",
                                        directory));
  }

  void end_definition() {
    if (std::exchange(defined, true)) return;
    check_definitions(wait_for);
    throw_together(team.compute, attempt(team.rank, [&] { take_directory(); }));
  }

  // So that nobody need call it apart.
  void define_with_output() {
    if (!company.at_definition) return;
    company.at_definition(
        [known = std::weak_ptr(self)](const AwaitRequest& wait) {
          const auto state = known.lock();
          if (!state) return;
          (*state)->check_definitions(wait);
          (*state)->defined = !(*state)->fields.empty();
        },
        [known = std::weak_ptr(self)] {
          if (const auto state = known.lock()) (*state)->take_directory();
        });
  }

  // The model has another state by then: read as that of `time`, it would be wrong.
  void check_not_passed(ModelTime time) const {
    const auto ended = company.ended_time ? company.ended_time() : std::nullopt;
    if (!ended || time >= *ended) return;
    throw Error(
        Blame::user,
        fmt::format(
            "a checkpoint of {} s was to be written, but end_time was called for "
            "times up to {} s: times go forward; write state after end_time of the same time",
            time.seconds(), ended->seconds()));
  }

  // One rank alone may be wrong, or its device: all have to hear of it before anything is moved.
  std::vector<FieldView> checked_set(ModelTime time, std::span<const FieldView> views,
                                     std::vector<HostValues>& on_host) const {
    std::vector<FieldView> readable(views.begin(), views.end());
    const std::array aspects{Aspect{"times of a checkpoint", fmt::format("{}", time.ms())}};
    const auto fault = difference_among(
        team.compute, aspects,
        [](MPI_Request& request, std::string_view what) { wait_for(request, what); });
    if (!fault.empty()) throw Error(Blame::user, fault);
    throw_together(team.compute, attempt(team.rank, [&] {
                     if (time < ModelTime()) {
                       throw Error(Blame::user, fmt::format("a checkpoint of {} s lies before the "
                                                            "start of the run, at 0 s",
                                                            time.seconds()));
                     }
                     check_not_passed(time);
                     check_views(fields, views, points, "written");
                     for (std::size_t field = 0; field < fields.size(); ++field) {
                       auto& view = readable[field];
                       const auto& stretches = points[fields[field].place].stretches;
                       view.values = on_host[field]
                                         .of_field(fields[field].name)
                                         .of(const_cast<void*>(view.values),
                                             addressing_of(view, fields[field].levels, stretches));
                     }
                   }));
    return readable;
  }

  Manifest head(ModelTime time, const RestartScalars& scalars) const {
    Manifest head;
    head.date = short_date_after(team.settings.start_date, time);
    head.start_date = team.settings.start_date;
    head.time = time;
    if (company.run) head.run = company.run();
    head.mode = team.settings.mode;
    head.compute_ranks = team.compute_ranks;
    head.restart_ranks = team.restart_ranks;
    for (std::size_t place = 0; place < 3; ++place) head.sizes[place] = points[place].global_size;
    head.fields = fields;
    head.scalars = scalars;
    return head;
  }
};

Restart::Restart(std::unique_ptr<State> state) : state_(std::move(state)) {}
Restart::Restart(Restart&&) noexcept = default;
Restart& Restart::operator=(Restart&&) noexcept = default;
Restart::~Restart() = default;

bool needs_restart_ranks(const std::string& mode) {
  return find_restart_mode(mode).needs_restart_ranks;
}

namespace {

void check_settings(const RestartSettings& settings, const RestartRanks& ranks, int size) {
  check_restart(settings, size - ranks.restart_ranks, ranks.restart_ranks);
  short_date_after(settings.start_date, {});  // throws on a malformed date
}

}  // namespace

Restart Restart::open(const Output& output, const RestartSettings& settings) {
  auto restart = open({output.restart_comm(), output.restart_ranks()}, settings);
  restart.state_->company = output.company();
  restart.state_->define_with_output();
  restart.state_->retention.emplace(settings.directory, settings.keep, output.coverage(),
                                    restart.state_->company.run);
  return restart;
}

Restart Restart::open(const RestartRanks& ranks, const RestartSettings& settings) {
  if (ranks.comm == MPI_COMM_NULL) {
    throw Error(Blame::user,
                "a restart is opened on compute and restart ranks alone, not on an "
                "I/O rank: its communicator is MPI_COMM_NULL");
  }
  int rank = 0, size = 1;
  MPI_Comm_rank(ranks.comm, &rank);
  MPI_Comm_size(ranks.comm, &size);
  if (settings.timeout_s > 0.0) set_wait_timeout(settings.timeout_s);  // else it is refused below
  throw_together(ranks.comm, attempt(rank, [&] { check_settings(settings, ranks, size); }));
  auto aspects = aspects_of(settings);
  aspects.push_back({"[restart] ranks", fmt::format("{}", ranks.restart_ranks)});
  require_same_settings(ranks.comm, aspects);  // before what waits without a limit
  auto state = std::make_unique<State>();
  auto& team = state->team;
  team.settings = settings;
  state->retention.emplace(settings.directory, settings.keep, nullptr, nullptr);
  team.restart_ranks = ranks.restart_ranks;
  team.compute_ranks = size - ranks.restart_ranks;
  team.rank = rank;
  std::optional<CallLimit> limit(std::in_place, "all ranks to begin their checkpoints");
  MPI_Comm_dup(ranks.comm, &team.control);
  MPI_Comm_dup(ranks.comm, &team.data);
  MPI_Comm_split(ranks.comm, team.is_compute() ? 0 : MPI_UNDEFINED, team.rank, &team.compute);
  limit.reset();
  state->watch.emplace([state = state.get()] {
    if (state->ended || !state->team.is_compute()) return;
    state->make_mode();
    state->mode.reset();
    state->ended = true;
  });
  return Restart(std::move(state));
}

void Restart::serve() {
  const ScopedTimer timer(Timer::restart_rank);
  const double begin_s = now_s();
  require_first_service(state_->served);
  state_->call([&] {
    open_outputs().to_serve = false;
    serve_restart_rank(state_->team, find_restart_mode(state_->team.settings.mode));
    state_->ended = true;
  });
  record_event(EventKind::idle, begin_s, now_s(), 0, "restart");  // but for what it did meanwhile
}

void Restart::define(std::span<const OwnedPoints> points) { state_->points = rank_points(points); }

void Restart::define(const FieldInfo& field) {
  if (state_->defined) {
    throw Error(
        Blame::user,
        fmt::format("restart field '{}' is defined after the end of the definition", field.name));
  }
  check_name("restart field", field.name, longest_field_name);
  check_levels(field);
  for (const auto& known : state_->fields) {
    if (known.name == field.name) {
      throw Error(Blame::user, fmt::format("restart field '{}' is defined twice", field.name));
    }
  }
  if (state_->points[field.place].global_size < 1) {
    throw Error(Blame::user,
                fmt::format("restart field '{}' lives on place '{}', which has no points: define "
                            "its owned points first",
                            field.name, place_names[field.place]));
  }
  state_->fields.push_back(field);
}

void Restart::write(ModelTime time, std::span<const FieldView> views,
                    const RestartScalars& scalars) {
  state_->call([&] {
    const ScopedTimer timer(Timer::restart);
    const double begin_s = now_s();
    if (state_->company.meet) state_->company.meet(Together::writing);
    std::vector<HostValues> on_host(state_->fields.size());
    const auto readable = state_->checked_set(time, views, on_host);
    state_->end_definition();
    state_->make_mode();
    const Part part(state_->team.rank, state_->points, state_->fields, readable);
    const auto head = state_->head(time, scalars);
    if (state_->company.note_checkpoint) state_->company.note_checkpoint(time);
    state_->mode->complete();  // a set on its way may be needed, and is not there yet
    const auto kept =
        state_->team.rank == 0 ? state_->retention->before(head.date, time) : KeptSets{};
    state_->mode->write(head, kept, part);
    record_event(EventKind::wait, begin_s, now_s(), 0, "restart");  // but for what it did meanwhile
  });
}

void Restart::check() {
  if (!state_->mode && !state_->failure) return;
  state_->call([&] {
    const ScopedTimer timer(Timer::restart);
    state_->mode->check();
  });
}

void Restart::complete() {
  if ((state_->ended || !state_->mode) && !state_->failure) return;
  state_->call([&] {
    const ScopedTimer timer(Timer::restart);
    const double begin_s = now_s();
    state_->mode->complete();
    record_event(EventKind::wait, begin_s, now_s(), 0, "restart");
  });
}

void Restart::close() {
  if ((state_->ended || state_->left) && !state_->failure) return;
  state_->call([&] {
    const ScopedTimer timer(Timer::restart);
    const double begin_s = now_s();
    state_->make_mode();  // restart ranks wait for the end, though there was nothing to write
    state_->mode->close();
    state_->lock.reset();
    state_->ended = true;
    record_event(EventKind::wait, begin_s, now_s(), 0, "restart");
  });
}

void Restart::leave() {
  if (!state_->ended) state_->leave();
}

void close_both(Output& output, Restart* restart) {
  auto first = output.failure();
  const auto note = [&](const auto& act) {
    try {
      act();
    } catch (const Error& error) {
      if (!first) first = error;
    }
  };
  if (restart != nullptr && !first) note([&] { restart->complete(); });
  if (restart != nullptr && first) restart->leave();  // restart ranks hear of the end in every case
  note([&] { output.close(); });
  if (restart != nullptr) output.ended() ? note([&] { restart->close(); }) : restart->leave();
  if (first) throw Error(*first);
}

}  // namespace thalweg
