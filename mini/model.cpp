// SPDX-License-Identifier: Apache-2.0
// Set-up and time loop of the mini-model.
#include "model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "equations.hpp"
#include "kernels/column_physics.hpp"
#include "messages.hpp"
#include "put_fields.hpp"
#include "thalweg/checksums.hpp"
#include "thalweg/decomposition.hpp"
#include "thalweg/error.hpp"
#include "thalweg/timers.hpp"
#include "thalweg/wait.hpp"

namespace thalweg::mini {
namespace {

/// The largest step with Courant number `cfl`: that fraction of the scheme's limit for the fastest
/// wave of the grid. On equilateral triangles of side d the gradient and divergence of TRiSK give
/// gravity waves at most sqrt(6) c / d (at the corners of the hexagonal Brillouin zone).
double largest_step_s(MPI_Comm comm, const Mesh& mesh, const Core& core, double cfl,
                      const Scheme& scheme) {
  const double longest_inverse_m = largest_over_ranks(
      comm, 1.0 / *std::min_element(mesh.edge_length_m.begin(), mesh.edge_length_m.end()));
  return cfl * scheme.imaginary_limit /
         (std::sqrt(6.0) * core.fastest_m_s(comm) * longest_inverse_m);
}

}  // namespace

Model::Model(const Experiment& experiment, MPI_Comm comm, const std::string& directory)
    : experiment_(experiment),
      comm_(comm),
      directory_(directory),
      diagnostics_log_(directory + "/diagnostics.jsonl"),
      start_(find_start(comm, experiment, directory)),
      streams_(stream_settings(experiment)) {
  const ScopedTimer timer(Timer::model_init);
  if (auto note = prepare_kernels(comm_); !note.empty()) start_.notes.push_back(std::move(note));
  int ranks = 1;
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &ranks);
  const SettingTable& model = experiment.table("model");
  const Equations& equations = equations_of(experiment);
  const Scheme& scheme = find_scheme(model.text("time_scheme"));
  extra_work_sweeps_ = model.number("extra_work");

  const Grid grid = Grid::parse(experiment.table("grid").text("name"));
  if (ranks > grid.cells()) {
    throw Error(Blame::user,
                fmt::format("[machine]: {} ranks compute, but grid '{}' has {} cells; start fewer "
                            "ranks, or choose a finer grid",
                            ranks, grid.name(), grid.cells()));
  }
  const Decomposition decomposition(grid, ranks, experiment.table("grid").text("decomposition"));
  mesh_ = build_mesh(decomposition, rank_, equations.halo_depth(model));
  stencils_ = std::make_unique<const Stencils>(mesh_);
  // Not less than a minute: others may wait for a disk meanwhile.
  const double limit_s = std::max(60.0, experiment.table("io").number("timeout"));
  kernel_ranks_ = std::make_unique<const KernelRanks>(comm_, mesh_, limit_s);
  core_ = equations.make(model, mesh_, *stencils_);
  const double largest_s = largest_step_s(comm_, mesh_, *core_, model.number("cfl"), scheme);
  if (start_.from) {
    const auto& before = start_.from->steps;
    const auto begin = start_.at.set.time;
    steps_ = choose_time_steps(experiment, largest_s, begin,
                               start_.from->keeps_step ? before : TimeSteps());
    if (steps_.unit_ms * before.steps_per_unit != before.unit_ms * steps_.steps_per_unit) {
      start_.notes.push_back(
          fmt::format("the time step is {} s from {} s on, until then it was {} s: it divides all "
                      "intervals of outputs and checkpoints, and [time] duration",
                      steps_.step_s(), begin.seconds(), before.step_s()));
    }
    first_ = start_.from->first;
    read_state(comm_, start_.at.set, mesh_, core_->state());
  } else {
    steps_ = choose_time_steps(experiment, largest_s);
  }
}

void Model::announce() {
  if (rank_ != 0) return;
  say({{"start",
        {{"time_step_s", steps_.step_s()},
         {"steps", steps_.count},
         {"cells", mesh_.grid.cells()},
         {"begin_s", steps_.time_s(steps_.first)},
         {"end_s", steps_.time_s(steps_.count)}}}});
  for (const auto& note : start_.notes) say({{"note", note}});
  begin_diagnostics();
}

/// A run that goes on in the same directory keeps what came before.
void Model::begin_diagnostics() {
  const bool goes_on = start_.from && start_.at.same_files;
  const auto told = goes_on ? diagnostics_log_.keep_until(start_.at.set.time.seconds())
                            : diagnostics_log_.begin();
  if (!told.empty()) say({{"note", told}});
}

bool Model::report(double time_s) {
  const Diagnostics now = core_->diagnose(comm_);
  if (first_.mass.empty()) first_ = now;
  const bool stable = std::isfinite(now.energy);
  if (rank_ != 0 || !stable) return stable;
  const nlohmann::json line{{"diagnostics",
                             {{"time_s", time_s},
                              {"mass", now.mass},
                              {core_->name_of_tracer(), now.tracer},
                              {"mass_drift", mass_drift(first_, now)},
                              {"energy", now.energy},
                              {"energy_drift", energy_drift(first_, now)}}}};
  say(line);
  const auto refused = diagnostics_log_.append(line["diagnostics"]);
  if (!refused.empty() && !std::exchange(diagnostics_refused_, true)) say({{"note", refused}});
  return true;
}

void Model::extra_work() {
  if (extra_work_sweeps_ <= 0.0) return;
  const ScopedTimer timer(Timer::extra_work);
  const int columns = mesh_.vertex.owned;
  double left = extra_work_sweeps_;
  for (; left > 0.0; left -= 1.0) {
    const int end = static_cast<int>(std::min(left, 1.0) * columns);
    kept_ = kept_ + column_physics(0, end, core_->state().levels, core_->columns());
  }
}

void Model::show_progress(const Output& output, double time_s, bool always) {
  constexpr double interval_s = 0.5;  // wall clock
  if (rank_ != 0 || (!always && now_s() - last_progress_s_ < interval_s)) return;
  last_progress_s_ = now_s();
  say({{"progress",
        {{"time_s", time_s},
         {"end_s", steps_.time_s(steps_.count)},
         {"outputs", output.outputs_written()}}}});
}

void Model::write_output(Output& output, ModelTime time) {
  const double begin_s = now_s();
  put_fields(output, streams_, mesh_, *core_, time);
  record_event(EventKind::compute, begin_s, now_s());  // but for the copying of each field
  output.end_time(time);
}

void Model::write_checkpoint(Restart& restart, ModelTime time) {
  restart.write(time, state_views(core_->state()), checkpoint_scalars(experiment_, steps_, first_));
}

void Model::define(Output& output, Restart* restart) const {
  const auto points = owned_points(mesh_);
  output.define(points);
  for (const OutputRow& row : core_->rows()) output.define(row.info);
  for (const StreamSettings& stream : streams_) output.define(stream);
  if (start_.from)
    output.continue_after(start_.at.set.time, start_.at.same_files, start_.at.set.path);
  else if (start_.at.same_files)
    output.begin_again();
  output.once_defined([this] { remove_later_sets(directory_ + "/restart", start_.at); });
  if (restart != nullptr) {
    restart->define(points);
    for (const FieldInfo& field : state_fields(core_->state())) restart->define(field);
  }
  output.end_definition();
}

void Model::run(Output& output, Restart* restart) {
  define(output, restart);
  announce();
  const ScopedTimer timer(Timer::integrate);
  step_to_end(output, restart);
  if (rank_ == 0 && output.outputs_dropped() > 0) {
    say({{"note", fmt::format("{} of {} output times were dropped, because buffers were full "
                              "([io] backpressure = \"thin\"); raise [io] budget or ranks",
                              output.outputs_dropped(), output.outputs_written())}});
  }
}

void Model::step_to_end(Output& output, Restart* restart) {
  HaloExchange halo(comm_, mesh_);
  RungeKutta scheme(find_scheme(experiment_.table("model").text("time_scheme")), core_->state());
  if (start_.from) {
    const auto fields = halo_fields(core_->state());
    halo.start(fields);
    halo.finish();
  }
  const bool has_hyperdiffusion = experiment_.table("model").text("equations") == "primitive";
  const ModelTime checkpoint_interval = experiment_.table("restart").number("interval");
  double compute_begin_s = now_s();
  record_event(EventKind::start, 0.0, compute_begin_s);
  for (std::int64_t step = steps_.first; step <= steps_.count; ++step) {
    const double time_s = steps_.time_s(step);
    const auto time = steps_.time(step);  // between milliseconds nothing is written
    const bool begins = step == steps_.first, last = step == steps_.count;
    if (!begins) {
      scheme.step(core_->state(), *core_, halo, steps_.step_s(), [this] { extra_work(); });
    }
    const bool due = time && output.due(time_s);
    if ((due || step == 0 || (last && !begins)) && !report(time_s)) {
      throw Error(
          Blame::user,
          fmt::format("the model became unstable before {} s; lower [model] cfl{} or set a shorter "
                      "[model] time_step (it is {} s).",
                      time_s, has_hyperdiffusion ? " or hyperdiffusion" : "", steps_.step_s()));
    }
    if (due || last) record_event(EventKind::compute, compute_begin_s, now_s());
    if (due) write_output(output, *time);
    if (due) compute_begin_s = now_s();
    output.check();
    if (restart != nullptr) {
      if (!begins && time && time->ms() % checkpoint_interval.ms() == 0) {
        write_checkpoint(*restart, *time);
      }
      restart->check();
    }
    if (due && output.outputs_written() == 1 && rank_ == 0) say({{"output", output.describe()}});
    show_progress(output, time_s, last);
  }
}

}  // namespace thalweg::mini
