// SPDX-License-Identifier: Apache-2.0
// thalweg_mini: runs an experiment, checks one without running it, or lists the output fields.
#include <fmt/format.h>
#include <mpi.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fields.hpp"
#include "messages.hpp"
#include "model.hpp"
#include "run_settings.hpp"
#include "thalweg/checksums.hpp"
#include "thalweg/error.hpp"
#include "thalweg/grid.hpp"
#include "thalweg/mpi_io.hpp"
#include "thalweg/output.hpp"
#include "thalweg/restart.hpp"
#include "thalweg/settings.hpp"
#include "thalweg/timers.hpp"
#include "thalweg/wait.hpp"

namespace {

using namespace thalweg;

constexpr const char* usage =
    "Usage: thalweg_mini EXPERIMENT.toml DIRECTORY            run it (under mpirun); "
    "DIRECTORY/files must exist\n"
    "       thalweg_mini --check EXPERIMENT.toml --ranks N    check it for N ranks, run nothing\n"
    "       thalweg_mini --fields                             list the output fields as JSON\n"
    "Example: mpirun -n 3 thalweg_mini examples/jet.toml run1\n";

bool writes_checkpoints(const Experiment& experiment) {
  return experiment.table("restart").text("mode") != "none";
}

void check_checkpoints(const Experiment& experiment, const OutputSettings& output, int ranks) {
  if (writes_checkpoints(experiment)) {
    const int io_ranks = output.mode == "serial" ? 0 : output.io_ranks;
    check_restart(restart_settings(experiment, "."), ranks - io_ranks - output.restart_ranks,
                  output.restart_ranks);
  }
  const std::string& read = experiment.table("restart").text("read");
  if (!read.empty() && !std::filesystem::is_directory(read + "/restart")) {
    throw Error(Blame::user,
                fmt::format("[restart]: read is '{}', but there is no directory '{}/restart'; give "
                            "the directory of a run that wrote checkpoints",
                            read, read));
  }
}

/// Reads and checks an experiment for a number of ranks, without MPI.
Experiment checked_experiment(const std::string& path, int ranks) {
  Experiment experiment = Experiment::read(path);
  const auto grid = Grid::parse(experiment.table("grid").text("name"));
  const OutputSettings settings = mini::output_settings(experiment, ".");
  check_output(settings, ranks);
  check_checkpoints(experiment, settings, ranks);
  const auto fields =
      mini::output_fields(static_cast<int>(experiment.table("model").integer("levels")));
  for (const StreamSettings& stream : stream_settings(experiment))
    check_stream(stream, fields, settings, {grid.cells(), grid.edges(), grid.vertices()});
  mini::choose_time_steps(experiment, 1.0);  // only whether [model] time_step fits
  return experiment;
}

void list_fields() {
  nlohmann::json list = nlohmann::json::array();
  for (const mini::FieldRow& row : mini::field_table()) {
    list.push_back({{"name", row.info.name},
                    {"standard_name", row.info.standard_name},
                    {"long_name", row.info.long_name},
                    {"units", row.info.units},
                    {"place", place_names[static_cast<int>(row.info.place)]},
                    {"dimensions", row.info.levels == 0 ? 3 : 2}});
  }
  fmt::print("{}\n", list.dump(1));
}

/// How all ranks end. Ranks that did well take part too, before they write the record of the run.
struct End {
  int exit_code = 0;  ///< the largest
  int speaker = 0;    ///< lowest rank that failed; the number of ranks if none did
};

/// Collective over the world; the first thing that every rank does after its work or its failure.
End agree_on_end(int exit_code) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::array<int, 2> mine{exit_code, exit_code == 0 ? 0 : ranks - rank};
  std::array<int, 2> largest{};
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(mine.data(), largest.data(), 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
  wait_all(std::span<MPI_Request>(&request, 1), "the other ranks' end");
  return {largest[0], ranks - largest[1]};
}

/// Returns the exit code: that of a failure that only other ranks know of, too.
int run_model(const Experiment& experiment, const std::string& directory) {
  std::string role = "compute";
  {
    const double begin_s = now_s();
    const OutputSettings settings = mini::output_settings(experiment, directory);
    Output output = Output::open(MPI_COMM_WORLD, settings);
    std::optional<Restart> restart;
    if (writes_checkpoints(experiment) && output.restart_comm() != MPI_COMM_NULL) {
      restart.emplace(Restart::open({output.restart_comm(), settings.restart_ranks},
                                    restart_settings(experiment, directory)));
    }
    if (output.is_compute_rank()) {
      mini::Model model(experiment, output.compute_comm(), directory);
      model.run(output, restart ? &*restart : nullptr);
      output.close();
      int rank = 0;
      MPI_Comm_rank(output.compute_comm(), &rank);
      if (rank == 0) mini::say({{"bytes_put", output.bytes_put()}});
      add_time(Timer::total, begin_s, now_s());
    } else if (output.is_restart_rank()) {
      role = "restart";
      restart->serve();
    } else {
      role = "io";
      output.serve();
    }
  }
  if (const End end = agree_on_end(0); end.exit_code != 0) return end.exit_code;
  write_timing(MPI_COMM_WORLD, role, directory);
  write_mpi_io_record(MPI_COMM_WORLD, directory);
  write_checksums(MPI_COMM_WORLD, directory);
  return 0;
}

/// Where all other ranks come to their end too, the lowest that failed speaks. A failure that they
/// do not know of ends them.
int end_after_failure(const std::string& sentence, int exit_code) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  constexpr double patience_s = 5.0;
  set_wait_timeout(patience_s);
  try {
    const End end = agree_on_end(exit_code);
    if (end.speaker == rank) mini::say_error(sentence);
    return end.exit_code;
  } catch (const std::exception&) {
    mini::say_error(sentence);
    MPI_Abort(MPI_COMM_WORLD, exit_code);
  }
  return exit_code;
}

/// HDF5 1.10 stumbles in MPI_Finalize over a file that it could not flush. What was wrong has been
/// said by then: the exit code is to stay that of the sentence.
void end_quietly_with(int exit_code) {
  static int code = exit_code;
  std::signal(SIGSEGV, [](int) { std::_Exit(code); });
}

int run(const std::string& path, const std::string& directory) {
  MPI_Init(nullptr, nullptr);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that outgrows its limit is a sentence, not a signal
  int exit_code = 0;
  try {
    int ranks = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    start_clock(MPI_COMM_WORLD);
    const Experiment experiment = checked_experiment(path, ranks);
    set_wait_timeout(experiment.table("io").number("timeout"));
    collect_checksums();
    exit_code = run_model(experiment, directory);
  } catch (const Error& error) {
    exit_code = end_after_failure(error.what(), error.exit_code());
  } catch (const std::exception& error) {
    exit_code = end_after_failure(fmt::format("unexpected: {}", error.what()), 1);
  }
  if (exit_code != 0) end_quietly_with(exit_code);
  MPI_Finalize();
  return exit_code;
}

}  // namespace

int main(int count, char** words) {
  const std::vector<std::string> arguments(words + 1, words + count);
  try {
    if (arguments.size() == 1 && arguments[0] == "--fields") return list_fields(), 0;
    if (arguments.size() == 4 && arguments[0] == "--check" && arguments[2] == "--ranks") {
      checked_experiment(arguments[1], std::atoi(arguments[3].c_str()));
      return 0;
    }
  } catch (const Error& error) {
    mini::say_error(error.what());
    return error.exit_code();
  }
  if (arguments.size() == 2 && arguments[0].substr(0, 2) != "--")
    return run(arguments[0], arguments[1]);
  fmt::print(stderr, "{}", usage);
  return arguments.size() == 1 && arguments[0] == "--help" ? 0 : 2;
}
