// SPDX-License-Identifier: Apache-2.0
// The calls of a restart: open, define, write, check, close.
#include "thalweg/restart.hpp"

#include <fmt/format.h>

#include "output/dates.hpp"
#include "restart/agreement.hpp"
#include "restart/mode.hpp"
#include "restart/staged.hpp"
#include "thalweg/timers.hpp"
#include "thalweg/wait.hpp"

namespace thalweg {

struct Restart::State {
  RestartTeam team;
  RankPoints points;
  std::vector<FieldInfo> fields;
  std::unique_ptr<RestartMode> mode;  // compute ranks, from the first write on
  bool ended = false;

  ~State() {
    mode.reset();
    // After an error on one rank alone the others cannot take part in freeing: leave it to the
    // launcher.
    if (!ended) return;
    for (auto* comm : {&team.compute, &team.control, &team.data}) {
      if (*comm != MPI_COMM_NULL) MPI_Comm_free(comm);
    }
  }

  // The ranks' points must be as many as the place has: what is missing could never be read.
  void check_points() const {
    std::array<std::int64_t, 3> owned{}, all{};
    for (std::size_t place = 0; place < 3; ++place) owned[place] = points[place].count;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(owned.data(), all.data(), 3, MPI_INT64_T, MPI_SUM, team.compute, &request);
    wait_for(request, "the other ranks' points");
    for (std::size_t place = 0; place < 3; ++place) {
      if (all[place] == points[place].global_size) continue;
      throw Error(Blame::user,
                  fmt::format("the ranks own {} points of place '{}', which has {}", all[place],
                              place_names[place], points[place].global_size));
    }
  }

  void check_views(std::span<const FieldView> views) const {
    if (views.size() != fields.size()) {
      throw Error(Blame::user, fmt::format("a restart of {} fields was given {} views",
                                           fields.size(), views.size()));
    }
    for (std::size_t field = 0; field < fields.size(); ++field) {
      if (views[field].type != fields[field].type) {
        throw Error(Blame::user, fmt::format("field '{}' was defined with another type than that "
                                             "of the values to write",
                                             fields[field].name));
      }
    }
  }

  Manifest head(double time_s, const RestartScalars& scalars) const {
    Manifest head;
    head.date = short_date_after(team.settings.start_date, time_s);
    head.start_date = team.settings.start_date;
    head.time_s = time_s;
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

Restart Restart::open(const RestartRanks& ranks, const RestartSettings& settings) {
  int size = 1;
  MPI_Comm_size(ranks.comm, &size);
  check_restart(settings, size - ranks.restart_ranks, ranks.restart_ranks);
  if (ranks.restart_ranks > 0 && !needs_restart_ranks(settings.mode)) {
    throw Error(Blame::user, fmt::format("[restart]: mode '{}' has no use for {} restart ranks",
                                         settings.mode, ranks.restart_ranks));
  }
  short_date_after(settings.start_date, 0.0);  // throws on a malformed date
  set_wait_timeout(settings.timeout_s);
  auto state = std::make_unique<State>();
  auto& team = state->team;
  team.settings = settings;
  team.restart_ranks = ranks.restart_ranks;
  team.compute_ranks = size - ranks.restart_ranks;
  MPI_Comm_rank(ranks.comm, &team.rank);
  MPI_Comm_dup(ranks.comm, &team.control);
  MPI_Comm_dup(ranks.comm, &team.data);
  MPI_Comm_split(ranks.comm, team.is_compute() ? 0 : MPI_UNDEFINED, team.rank, &team.compute);
  return Restart(std::move(state));
}

void Restart::serve() {
  const ScopedTimer timer(Timer::restart_rank);
  serve_restart_rank(state_->team, find_restart_mode(state_->team.settings.mode));
  state_->ended = true;
}

void Restart::define(std::span<const OwnedPoints> points) { state_->points = rank_points(points); }

void Restart::define(const FieldInfo& field) {
  for (const auto& known : state_->fields) {
    if (known.name == field.name) {
      throw Error(Blame::user, fmt::format("restart field '{}' is defined twice", field.name));
    }
  }
  if (state_->points[static_cast<std::size_t>(field.place)].global_size == 0) {
    throw Error(Blame::user,
                fmt::format("restart field '{}' lives on place '{}', which has no points: define "
                            "its owned points first",
                            field.name, place_names[static_cast<std::size_t>(field.place)]));
  }
  state_->fields.push_back(field);
}

void Restart::write(double time_s, std::span<const FieldView> views,
                    const RestartScalars& scalars) {
  const ScopedTimer timer(Timer::restart);
  auto& team = state_->team;
  state_->check_views(views);
  if (!state_->mode) {
    state_->check_points();
    const auto& entry = find_restart_mode(team.settings.mode);
    state_->mode = entry.make(team, entry);
  }
  const Part part(team.rank, state_->points, state_->fields, views);
  state_->mode->write(state_->head(time_s, scalars), part);
}

void Restart::check() {
  if (!state_->mode) return;
  const ScopedTimer timer(Timer::restart);
  state_->mode->check();
}

void Restart::close() {
  if (state_->ended) return;
  const ScopedTimer timer(Timer::restart);
  auto& team = state_->team;
  if (!state_->mode) {  // restart ranks wait for the end, though there was nothing to write
    const auto& entry = find_restart_mode(team.settings.mode);
    state_->mode = entry.make(team, entry);
  }
  state_->mode->close();
  state_->ended = true;
}

}  // namespace thalweg
