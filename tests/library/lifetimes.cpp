// SPDX-License-Identifier: Apache-2.0
// Outputs that outlive MPI, that are two at a time, that many threads put to, that claim a grid.
// Arguments: what to do; in which modes, one after the other; more for some.
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string>
#include <thalweg/output.hpp>
#include <thread>

using namespace thalweg;

namespace {

constexpr int size = 100, fields = 8;

OutputSettings settings_of(const std::string& mode, int io_ranks) {
  OutputSettings settings;
  settings.mode = mode;
  settings.io_ranks = io_ranks;
  settings.directory = ".";
  return settings;
}

std::string field_name(int field) { return std::string("f") + std::to_string(field); }

struct Model {
  std::vector<std::int64_t> points;
  std::vector<double> values;

  Model(Output& output, const std::string& stream_name) {
    int rank = 0, ranks = 1;
    MPI_Comm_rank(output.compute_comm(), &rank);
    MPI_Comm_size(output.compute_comm(), &ranks);
    for (int point = rank; point < size; point += ranks) points.push_back(point);
    for (const auto point : points) values.push_back(static_cast<double>(point));
    output.define(std::vector{OwnedPoints{Place::cell, size, points}});
    for (int field = 0; field < fields; ++field) {
      output.define(FieldInfo{field_name(field), "", "", "1", Place::cell, 1});
    }
    StreamSettings stream;
    stream.name = stream_name;
    stream.end = 1.0;
    output.define(stream);
    output.end_definition();
  }
  void put(Output& output, int field) { output.put(field_name(field), {values.data(), 1, 1}, 0.0); }
  void put_all(Output& output) {
    for (int field = 0; field < fields; ++field) put(output, field);
  }
};

void outlive(std::optional<Output>& kept) {
  kept.emplace(Output::open(MPI_COMM_WORLD, settings_of("async", 1)));
  if (!kept->is_compute_rank()) return kept->serve();
  Model model(*kept, "kept");
  model.put_all(*kept);
  kept->end_time(0.0);
  kept->close();
}

// Files are named for their modes too: one start of MPI serves several.
void two_at_a_time(const std::string& mode) {
  auto one = Output::open(MPI_COMM_WORLD, settings_of(mode, 0));
  auto two = Output::open(MPI_COMM_WORLD, settings_of(mode, 0));
  Model first(one, "one_" + mode), second(two, "two_" + mode);
  for (int field = 0; field < fields; ++field) {
    first.put(one, field);
    second.put(two, field);
  }
  two.end_time(0.0);
  one.end_time(0.0);
  one.close();
  two.close();
}

// The first is given up then: nobody waits for it.
void two_that_are_served() {
  auto one = Output::open(MPI_COMM_WORLD, settings_of("async", 1));
  auto two = Output::open(MPI_COMM_WORLD, settings_of("async", 1));
}

void put_from_threads(const std::string& mode) {
  auto output = Output::open(MPI_COMM_WORLD, settings_of(mode, mode == "async" ? 1 : 0));
  if (!output.is_compute_rank()) return output.serve();
  Model model(output, "threads_" + mode);
  std::vector<std::thread> threads;
  std::vector<std::string> refused(fields);
  for (int field = 0; field < fields; ++field) {
    threads.emplace_back([&, field] {
      try {
        model.put(output, field);
      } catch (const Error& error) {
        refused[field] = error.what();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& sentence : refused) {
    if (!sentence.empty()) std::fprintf(stderr, "put: %s\n", sentence.c_str());
  }
  output.end_time(0.0);
  output.close();
}

// The second compute rank leaves its output by an exception of its own: the others must hear.
void leave_on_one_rank(const std::string& mode) {
  auto output = Output::open(MPI_COMM_WORLD, settings_of(mode, mode == "async" ? 1 : 0));
  if (!output.is_compute_rank()) return output.serve();
  Model model(output, "left");
  model.put_all(output);
  output.end_time(0.0);
  int rank = 0;
  MPI_Comm_rank(output.compute_comm(), &rank);
  if (rank == 1) return;
  output.close();
}

void claim(const std::string& grid) {
  auto settings = settings_of("serial", 0);
  settings.grid = grid;
  auto output = Output::open(MPI_COMM_WORLD, settings);
  Model(output, "claim").put_all(output);
  output.end_time(0.0);
  output.close();
}

}  // namespace

int main(int, char** argv) {
  const std::string way = argv[1];
  std::istringstream modes(argv[2]);
  const int level = way == "threads" ? std::atoi(argv[3]) : MPI_THREAD_SINGLE;
  int given = 0, code = 0;
  MPI_Init_thread(nullptr, nullptr, level == 0 ? MPI_THREAD_FUNNELED : MPI_THREAD_MULTIPLE, &given);
  std::optional<Output> kept;
  try {
    if (way == "outlives") outlive(kept);
    if (way == "two served") two_that_are_served();
    if (way == "grid") claim(argv[3]);
    for (std::string mode; modes >> mode;) {
      if (way == "two") two_at_a_time(mode);
      if (way == "left") leave_on_one_rank(mode);
      if (way == "threads") put_from_threads(mode);
    }
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    code = error.exit_code();
  }
  MPI_Finalize();
  return code;
}
