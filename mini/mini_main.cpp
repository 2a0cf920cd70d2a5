// SPDX-License-Identifier: Apache-2.0
// thalweg_mini: runs an experiment, checks one without running it, or lists what there is.
#include <fmt/format.h>
#include <mpi.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint.hpp"
#include "equations.hpp"
#include "lists.hpp"
#include "memory.hpp"
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
    "       thalweg_mini --check EXPERIMENT.toml DIRECTORY --ranks N   check it for N ranks, run "
    "nothing\n"
    "       thalweg_mini --fields                             list the output fields as JSON\n"
    "       thalweg_mini --modes                              list modes and containers as JSON\n"
    "Example: mpirun -n 3 thalweg_mini examples/jet.toml run1\n";

bool writes_checkpoints(const Experiment& experiment) {
  return experiment.table("restart").text("mode") != "none";
}

void check_checkpoints(const Experiment& experiment, const OutputSettings& output,
                       const std::string& directory, int ranks) {
  if (writes_checkpoints(experiment)) {
    check_restart(restart_settings(experiment, "."),
                  ranks - dedicated_io_ranks(output) - output.restart_ranks, output.restart_ranks);
  }
  const std::string& read = experiment.table("restart").text("read");
  // A run that goes on in its own directory begins again where it has no checkpoint.
  if (!read.empty() && !mini::goes_on_in(directory, experiment) &&
      !std::filesystem::is_directory(read + "/restart")) {
    throw Error(Blame::user,
                fmt::format("[restart]: read is '{}', but there is no directory '{}/restart'; give "
                            "the directory of a run that wrote checkpoints",
                            read, read));
  }
}

/// Reads and checks an experiment for a number of ranks, without MPI. `directory`: of the run; it
/// need not be there.
Experiment checked_experiment(const std::string& path, const std::string& directory, int ranks) {
  Experiment experiment = Experiment::read(path);
  const auto grid = Grid::parse(experiment.table("grid").text("name"));
  const OutputSettings settings = mini::output_settings(experiment, ".");
  check_output(settings, ranks);
  check_checkpoints(experiment, settings, directory, ranks);
  const auto fields = mini::output_fields(experiment);
  for (const StreamSettings& stream : stream_settings(experiment))
    check_stream(stream, fields, settings, {grid.cells(), grid.edges(), grid.vertices()});
  mini::choose_time_steps(experiment, 1.0);  // only whether [model] time_step fits
  return experiment;
}

/// Before the start only: ranks that run use memory already, and would not agree on what is left.
void check_memory_of(const std::string& path, int ranks) {
  const Experiment experiment = Experiment::read(path);
  const auto fields = mini::output_fields(experiment);
  mini::check_memory(mini::memory_need(experiment, fields, ranks), mini::available_memory());
}

/// How all ranks end. Ranks that did well take part too, before they write the record of the run.
struct End {
  int exit_code = 0;  ///< of the speaker
  int speaker = 0;    ///< the lowest that failed of the ranks that know most
};

/// Collective over the world; the first thing that every rank does after its work or its failure.
End agree_on_end(int exit_code, const std::string& role) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  constexpr int codes = 256;  // there are no more
  // Compute ranks know why I/O ranks failed; of them the others mostly know only that they ended.
  const int knowledge = role == "compute" ? 2 : role == "io" ? 1 : 0;
  const int order = knowledge * ranks + ranks - rank;
  const int mine = exit_code == 0 ? 0 : order * codes + exit_code;
  int largest = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&mine, &largest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
  wait_all(std::span<MPI_Request>(&request, 1), "the other ranks' end");
  const int first = std::max(largest / codes, 1);
  return {largest % codes, ranks - 1 - (first - 1) % ranks};
}

void run_and_close(mini::Model& model, Output& output, Restart* restart) {
  try {
    model.run(output, restart);
  } catch (const Error& error) {
    if (error.blame() == Blame::bug) throw;  // others may not know of it
    try {
      close_both(output, restart);  // what was written before is good
    } catch (const Error&) {        // files are cut short: the first error is the one worth telling
    }
    throw;
  }
  close_both(output, restart);
}

/// Returns the exit code: that of a failure that only other ranks know of, too.
int run_model(const Experiment& experiment, const std::string& directory, std::string& role) {
  {
    const double begin_s = now_s();
    const OutputSettings settings = mini::output_settings(experiment, directory);
    Output output = Output::open(MPI_COMM_WORLD, settings);
    std::optional<Restart> restart;
    if (writes_checkpoints(experiment) && output.restart_comm() != MPI_COMM_NULL) {
      restart.emplace(Restart::open(output, restart_settings(experiment, directory)));
    }
    if (output.is_compute_rank()) {
      mini::Model model(experiment, output.compute_comm(), directory);
      run_and_close(model, output, restart ? &*restart : nullptr);
      int rank = 0;
      MPI_Comm_rank(output.compute_comm(), &rank);
      if (rank == 0) mini::say({{"bytes_put", output.bytes_put()}});
      add_time(Timer::total, begin_s, now_s());
      record_event(EventKind::other, 0.0, now_s());  // but for what other events tell
    } else if (output.is_restart_rank()) {
      role = "restart";
      restart->serve();
    } else {
      role = "io";
      output.serve();
    }
  }
  if (const End end = agree_on_end(0, role); end.exit_code != 0) return end.exit_code;
  write_timing(MPI_COMM_WORLD, role, directory);
  write_mpi_io_record(MPI_COMM_WORLD, directory);
  write_checksums(MPI_COMM_WORLD, directory);
  return 0;
}

/// Where all other ranks come to their end too, one that failed speaks. A failure that they
/// do not know of ends them.
int end_after_failure(const std::string& sentence, int exit_code, const std::string& role) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  // The compute ranks say why, and come first.
  constexpr double patience_s = 5.0, patience_for_others_s = 20.0;
  set_wait_timeout(role == "restart" ? patience_for_others_s : patience_s);
  try {
    const End end = agree_on_end(exit_code, role);
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
  std::string role = "compute";
  try {
    int ranks = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    start_clock(MPI_COMM_WORLD);
    const Experiment experiment = checked_experiment(path, directory, ranks);
    set_wait_timeout(experiment.table("io").number("timeout"));
    collect_checksums(directory);
    if (experiment.table("io").flag("events")) collect_events(directory);
    exit_code = run_model(experiment, directory, role);
  } catch (const Error& error) {
    exit_code = end_after_failure(error.what(), error.exit_code(), role);
  } catch (const std::exception& error) {
    exit_code = end_after_failure(fmt::format("unexpected: {}", error.what()), 1, role);
  }
  if (exit_code != 0) end_quietly_with(exit_code);
  MPI_Finalize();
  return exit_code;
}

}  // namespace

int main(int count, char** words) {
  const std::vector<std::string> arguments(words + 1, words + count);
  try {
    if (arguments.size() == 1 && arguments[0] == "--fields") {
      return fmt::print("{}\n", mini::fields_as_json()), 0;
    }
    if (arguments.size() == 1 && arguments[0] == "--modes") {
      return fmt::print("{}\n", mini::modes_as_json()), 0;
    }
    if (arguments.size() == 5 && arguments[0] == "--check" && arguments[3] == "--ranks") {
      const int ranks = std::atoi(arguments[4].c_str());
      check_memory_of(arguments[1], ranks);
      checked_experiment(arguments[1], arguments[2], ranks);
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
