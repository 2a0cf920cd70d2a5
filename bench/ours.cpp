// SPDX-License-Identifier: Apache-2.0
// The workload handed to Thalweg in its four calls.
#include "ours.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "thalweg/output.hpp"
#include "thalweg/timers.hpp"

namespace thalweg::bench {
namespace {

constexpr double interval_s = 3600.0;
constexpr double timeout_s = 120.0;  // far above any step: a hang ends in a sentence

Output open_output(const Session& session, const Ours& ours) {
  OutputSettings settings;
  settings.mode = ours.mode;
  settings.io_ranks = ours.io_ranks;
  settings.way = ours.way;
  settings.directory = session.directory;
  settings.timeout_s = timeout_s;
  return Output::open(session.comm, settings);
}

std::string name_of(int field) { return fmt::format("f{}", field); }

/// Returns the seconds of building plan and buffers.
double define(Output& output, const Session& session, const Ours& ours,
              const std::vector<std::int64_t>& cells, int steps) {
  const OwnedPoints points{Place::cell, session.workload.cells, cells};
  output.define(std::span(&points, 1));
  StreamSettings stream;
  stream.name = std::string("bench");
  stream.variables.clear();
  stream.interval = stream.file_interval = interval_s;
  stream.end = interval_s * (steps - 1);
  stream.container = ours.container;
  stream.compression.codec = ours.compression;
  stream.partitions = ours.partitions;
  if (!stream.compression.none()) stream.layout = "chunked";
  for (int field = 0; field < session.workload.fields; ++field) {
    FieldInfo info;
    info.name = name_of(field);
    info.long_name = fmt::format("field {}", field);
    info.units = std::string("1");
    info.levels = session.workload.levels;
    info.type = ValueType::float32;
    output.define(info);
    stream.variables.push_back(info.name);
  }
  output.define(stream);
  const double begin_s = MPI_Wtime();
  output.end_definition();  // builds plan and buffers: set-up, reported apart
  return MPI_Wtime() - begin_s;
}

void put_step(Output& output, const Session& session, std::int64_t own_cells, int step,
              const float* values) {
  for (int field = 0; field < session.workload.fields; ++field) {
    FieldView view;
    view.values = values + field * session.workload.levels * own_cells;
    view.level_stride = own_cells;
    view.type = ValueType::float32;
    output.put(name_of(field), view, interval_s * step);
  }
  output.end_time(interval_s * step);
}

double slowest(const Session& session, double seconds) {
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, session.comm);
  return seconds;
}

}  // namespace

Trial write_steps(Session& session, const Ours& ours, int steps) {
  const double plan_before_s = timer_total_s(Timer::plan);
  Output output = open_output(session, ours);
  const double setup_s = define(output, session, ours, session.deal.cells_of(session.rank), steps);
  Trial trial = time_steps(session, steps, [&](int step) {
    put_step(output, session, session.own_cells(), step, session.values.data());
  });
  time_together(session, trial, [&] { output.close(); });
  trial.plan_s = slowest(session, timer_total_s(Timer::plan) - plan_before_s);
  trial.setup_s = slowest(session, setup_s);
  return trial;
}

Trial write_end_to_end(Session& session, const Ours& ours, int steps) {
  const double plan_before_s = timer_total_s(Timer::plan);
  Output output = open_output(session, ours);
  Trial trial;
  double cpu_before_s = cpu_now_s(), wall_s = 0.0, setup_s = 0.0;
  if (output.is_compute_rank()) {
    Deal deal = session.deal;
    int rank = 0;
    MPI_Comm_size(output.compute_comm(), &deal.ranks);
    MPI_Comm_rank(output.compute_comm(), &rank);
    const auto own = deal.own_cells(rank);
    const std::size_t values = own * session.workload.levels * session.workload.fields;
    std::vector<std::vector<float>> all_steps;
    for (int step = 0; step < steps; ++step) {
      session.expected.fill(deal, rank, step, all_steps.emplace_back(values).data());
    }
    setup_s = define(output, session, ours, deal.cells_of(rank), steps);
    MPI_Barrier(output.compute_comm());
    cpu_before_s = cpu_now_s();
    const double begin_s = MPI_Wtime();
    for (int step = 0; step < steps; ++step)
      put_step(output, session, own, step, all_steps[step].data());
    output.close();
    wall_s = MPI_Wtime() - begin_s;
  } else {
    output.serve();
  }
  double cpu_s = cpu_now_s() - cpu_before_s;  // of I/O ranks: their whole life
  trial.wall_s = slowest(session, wall_s);
  MPI_Allreduce(MPI_IN_PLACE, &cpu_s, 1, MPI_DOUBLE, MPI_SUM, session.comm);
  trial.cpu_s = cpu_s;
  trial.steps = steps;
  trial.plan_s = slowest(session, timer_total_s(Timer::plan) - plan_before_s);
  trial.setup_s = slowest(session, setup_s);
  return trial;
}

}  // namespace thalweg::bench
