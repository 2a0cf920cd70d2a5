// SPDX-License-Identifier: Apache-2.0
// thalweg_output_bench: every way of writing the same output steps, shuffled, in one mpirun.
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "json_lines.hpp"
#include "methods.hpp"
#include "results.hpp"
#include "thalweg/error.hpp"
#include "thalweg/grid.hpp"
#include "thalweg/timers.hpp"

namespace {

using namespace thalweg;
using namespace thalweg::bench;

constexpr const char* usage =
    "Usage: mpirun -n 4 output_bench DIRECTORY [--repetitions N] [--layer NAME] [--grid RnBk]\n"
    "           [--levels N] [--fields N] [--steps N] [--methods NAME,NAME]\n"
    "       output_bench --list      names of the methods\n"
    "Example: mpirun -n 4 output_bench /scratch/bench --repetitions 5 --layer ompio\n";
constexpr unsigned shuffle_seed = 20261121;  // any; fixed, so that a run can be repeated

struct Request {
  std::string directory, layer = "ompio";
  Workload workload;
  int repetitions = 5;
  std::vector<const Method*> chosen;
};

int positive(const std::string& option, const std::string& text) {
  std::size_t used = 0;
  int number = 0;
  try {
    number = std::stoi(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used == 0 || used != text.size() || number < 1)
    throw Error(Blame::user,
                fmt::format("{} is '{}', but must be a whole number of at least 1", option, text));
  return number;
}

std::vector<const Method*> choose(const std::string& names) {
  std::vector<const Method*> chosen;
  std::vector<std::string> known;
  for (const Method& method : methods()) known.emplace_back(method.name);
  for (std::size_t begin = 0; begin <= names.size();) {
    const auto end = std::min(names.find(',', begin), names.size());
    const auto name = names.substr(begin, end - begin);
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end())
      throw Error(Blame::user, fmt::format("--methods: method '{}' does not exist; see --list.{}",
                                           name, did_you_mean(name, known)));
    chosen.push_back(&methods()[found - known.begin()]);
    begin = end + 1;
  }
  return chosen;
}

Request parse(const std::vector<std::string>& words) {
  Request request;
  for (const Method& method : methods()) request.chosen.push_back(&method);
  request.directory = words.front();
  for (std::size_t i = 1; i < words.size(); i += 2) {
    if (i + 1 == words.size()) throw Error(Blame::user, fmt::format("{} has no value", words[i]));
    const auto &option = words[i], &value = words[i + 1];
    if (option == "--repetitions")
      request.repetitions = positive(option, value);
    else if (option == "--levels")
      request.workload.levels = positive(option, value);
    else if (option == "--fields")
      request.workload.fields = positive(option, value);
    else if (option == "--steps")
      request.workload.steps = positive(option, value);
    else if (option == "--layer")
      request.layer = value;
    else if (option == "--grid")
      request.workload.grid = value;
    else if (option == "--methods")
      request.chosen = choose(value);
    else
      throw Error(Blame::user, fmt::format("option '{}' does not exist; see --help", option));
  }
  request.workload.cells = Grid::parse(request.workload.grid).size(Place::cell);
  if (request.workload.cells % block_cells != 0)
    throw Error(Blame::user,
                fmt::format("grid {} has {} cells, which is no multiple of {}; take "
                            "R2B2 or a finer one",
                            request.workload.grid, request.workload.cells, block_cells));
  return request;
}

/// Rank 0 empties the directory between trials.
void remove_files(const Session& session) {
  MPI_Barrier(session.comm);
  if (session.rank == 0) {
    std::filesystem::remove_all(session.directory);
    std::filesystem::create_directories(session.directory);
  }
  MPI_Barrier(session.comm);
}

/// One trial, checked. A refusal that all ranks know of is kept as the reason to skip the method.
void run_trial(Session& session, const Method& method, int repetition, Record& record) {
  std::string refusal;
  Trial trial;
  try {
    trial = run_method(session, method, session.workload.steps);
  } catch (const Error& error) {
    refusal = error.what();
  }
  int refused = refusal.empty() ? 0 : 1;
  MPI_Allreduce(MPI_IN_PLACE, &refused, 1, MPI_INT, MPI_SUM, session.comm);
  if (refused == session.ranks) {
    record.skipped = refusal;
  } else if (refused > 0) {
    give_up(refusal.empty() ? fmt::format("method '{}' failed on another rank", method.name)
                            : refusal);
  } else {
    record.wrong = method.check(session, trial.steps);
    trial.file_bytes = mean_step_bytes(files_of(session), trial.steps);
    if (record.wrong.empty()) record.trials[repetition] = trial;
  }
  remove_files(session);
}

Results measure(Session& session, const Request& request) {
  Results results(request.workload, request.layer);
  std::vector<const Method*> order = request.chosen;
  const auto trials = static_cast<int>(order.size()) * request.repetitions;
  int done = 0;
  std::mt19937 random(shuffle_seed);
  for (int repetition = 0; repetition < request.repetitions; ++repetition) {
    std::shuffle(order.begin(), order.end(), random);
    for (const Method* method : order) {
      Record& record = results.of(*method);
      if (record.skipped.empty() && record.wrong.empty())
        run_trial(session, *method, repetition, record);
      nlohmann::json progress{{"done", ++done}, {"of", trials}, {"method", method->name}};
      if (const auto last = record.trials.find(repetition); last != record.trials.end())
        progress["speed"] = rounded(speed_of(last->second, request.workload));
      print_line({{"progress", progress}});
    }
  }
  return results;
}

int run(const Request& request) {
  Session session(request.workload, request.directory + "/thalweg_output_bench");
  remove_files(session);
  session.touch_memory();
  const Results results = measure(session, request);
  for (const auto& line : results.lines()) print_line(line);
  if (session.rank == 0) std::filesystem::remove_all(session.directory);
  return results.all_right() ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  if (words == std::vector<std::string>{"--list"}) {
    for (const Method& method : methods()) fmt::print("{:<24} {}\n", method.name, method.meaning);
    return 0;
  }
  if (words.empty() || words.front().starts_with("--")) {
    fmt::print(stderr, "{}", usage);
    return words == std::vector<std::string>{"--help"} ? 0 : 2;
  }
  MPI_Init(&count, &arguments);
  int rank = 0, code = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    start_clock(MPI_COMM_WORLD);
    std::optional<Request> request;
    try {
      request = parse(words);
    } catch (const Error& error) {  // the same on every rank
      if (rank == 0) fmt::print(stderr, "thalweg: error: {}\n", error.what());
      code = error.exit_code();
    }
    if (request) code = run(*request);
  } catch (const std::exception& error) {
    give_up(error.what());
  }
  MPI_Finalize();
  return code;
}
