// SPDX-License-Identifier: Apache-2.0
// Writes a field of 1000 points and 5 levels once an hour from any number of ranks.
#include <cstdio>
#include <thalweg/output.hpp>

void write_fields(const char* experiment_file, const char* directory) {
  constexpr std::int64_t size = 1000, levels = 5;
  const auto experiment = thalweg::Experiment::read(experiment_file);
  auto settings = thalweg::output_settings(experiment, "");
  settings.directory = directory;
  settings.grid.clear();  // our own points: no mesh in the files
  auto out = thalweg::Output::open(MPI_COMM_WORLD, settings);
  if (!out.is_compute_rank()) return out.serve();
  int rank = 0, ranks = 1;
  MPI_Comm_rank(out.compute_comm(), &rank);
  MPI_Comm_size(out.compute_comm(), &ranks);
  std::vector<std::int64_t> global;
  for (std::int64_t point = rank; point < size; point += ranks) global.push_back(point);
  out.define(std::vector{thalweg::OwnedPoints{thalweg::Place::cell, size, global}});
  out.define(thalweg::FieldInfo{"ta", "air_temperature", "temperature", "K", thalweg::Place::cell,
                                levels});
  for (const auto& stream : thalweg::stream_settings(experiment)) out.define(stream);
  out.end_definition();
  std::vector<double> ta(global.size() * levels);  // [point][level]
  for (double time_s = 0; time_s <= 7200; time_s += 3600) {
    for (std::size_t i = 0; i < ta.size(); ++i) ta[i] = global[i / levels] + time_s + i % levels;
    out.put("ta", {ta.data(), levels, 1}, time_s);
    out.end_time(time_s);
  }
  out.close();
}

int main(int argc, char** argv) try {
  MPI_Init(&argc, &argv);
  write_fields(argv[1], argv[2]);
  return MPI_Finalize();
} catch (const thalweg::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  MPI_Abort(MPI_COMM_WORLD, error.exit_code());
}
