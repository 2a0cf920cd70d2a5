// SPDX-License-Identifier: Apache-2.0
// thalweg_restart_bench: checkpoints in every mode against bare files, one per rank, alternating in
// one mpirun; read back on the same ranks and on fewer.
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "json_lines.hpp"
#include "measuring.hpp"
#include "restart_case.hpp"
#include "thalweg/error.hpp"
#include "thalweg/timers.hpp"

namespace {

using namespace thalweg;
using namespace thalweg::bench;

constexpr const char* usage =
    "Usage: mpirun -n 4 restart_bench DIRECTORY [--repetitions N] [--quick]\n"
    "Example: mpirun -n 4 restart_bench /scratch/bench --repetitions 5\n";
constexpr unsigned shuffle_seed = 20261121;  // any; fixed, so that a run can be repeated
constexpr int sets = 2;                      // of one trial, back to back
constexpr const char* bare = "pwrite_file_per_rank";
constexpr const char* bare_read = "pread_file_per_rank";
constexpr const char* bare_slabs = "pwrite_1mib_file_per_rank";
constexpr std::size_t slab_bytes = 1 << 20;  // as our modes write

/// A way to write. bare has no mode of ours.
struct Method {
  std::string name, meaning;
  int restart_ranks = 0;
};

struct Sample {
  double wall_s = 0.0;  ///< of the slowest rank
  double cpu_s = 0.0;   ///< user and system time, all ranks
  double call_s =
      -1.0;  ///< mean time a write() kept the slowest compute rank; -1 = nothing written
  std::int64_t bytes = 0;
};

/// [name of the line][repetition]
using Samples = std::map<std::string, std::map<int, Sample>>;

struct Request {
  std::string directory;
  int repetitions = 5;
  RestartWorkload workload;
};

Sample time_together(std::int64_t bytes, const std::function<void()>& work) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double cpu_before_s = cpu_now_s(), begin_s = MPI_Wtime();
  work();
  Sample sample{MPI_Wtime() - begin_s, cpu_now_s() - cpu_before_s, -1.0, bytes};
  MPI_Allreduce(MPI_IN_PLACE, &sample.wall_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &sample.cpu_s, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sample;
}

/// The first ranks of the world as a communicator of their own; null on the others.
struct FirstRanks {
  MPI_Comm comm = MPI_COMM_NULL;
  explicit FirstRanks(int count) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank < count ? 0 : MPI_UNDEFINED, rank, &comm);
  }
  ~FirstRanks() {
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  }
  FirstRanks(const FirstRanks&) = delete;
  FirstRanks& operator=(const FirstRanks&) = delete;
};

class Bench {
 public:
  explicit Bench(Request request) : request_(std::move(request)) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    folder_ = request_.directory + "/thalweg_restart_bench";
    methods_.push_back({bare,
                        "every rank writes its own file with one pwrite per field: no index, "
                        "no checksum, no manifest",
                        0});
    methods_.push_back({bare_slabs, "the same with one pwrite per MiB", 0});
    for (const auto& mode : restart_modes()) {
      const int restart_ranks = needs_restart_ranks(mode.name) ? std::max(1, ranks_ / 4) : 0;
      if (ranks_ - restart_ranks >= std::max(1, restart_ranks)) {
        methods_.push_back({mode.name, mode.meaning, restart_ranks});
      }
    }
  }

  int run() {
    auto order = methods_;
    std::mt19937 random(shuffle_seed);
    const int trials = static_cast<int>(order.size()) * request_.repetitions;
    int done = 0;
    for (repetition_ = 0; repetition_ < request_.repetitions; ++repetition_) {
      std::shuffle(order.begin(), order.end(), random);
      for (const auto& method : order) {
        empty_folder();
        if (method.name == bare) {
          try_bare(bare, bare_read, 0);
        } else if (method.name == bare_slabs) {
          try_bare(bare_slabs, "pread_1mib_file_per_rank", slab_bytes);
        } else {
          try_mode(method);
        }
        print_line({{"progress", {{"done", ++done}, {"of", trials}, {"method", method.name}}}});
      }
    }
    empty_folder();
    if (rank_ == 0) std::filesystem::remove_all(folder_);
    for (const auto& method : methods_) {
      for (const auto& [name, meaning] : lines_of(method)) print(name, meaning);
    }
    return wrong_.empty() ? 0 : 1;
  }

 private:
  std::int64_t all_bytes() const { return sets * request_.workload.bytes(); }

  void empty_folder() const {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ == 0) {
      std::filesystem::remove_all(folder_);
      std::filesystem::create_directories(folder_);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }

  // A time counts only if what was read back is right.
  void keep(const std::string& name, const Sample& sample, std::int64_t wrong) {
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (wrong > 0) wrong_[name] = wrong;
    if (wrong == 0) samples_[name][repetition_] = sample;
  }

  void try_bare(const char* write_name, const char* read_name, std::size_t slab) {
    RestartState state(MPI_COMM_WORLD, request_.workload, "bisection");
    const auto path = [&](int set) { return fmt::format("{}/{}_{}", folder_, set, rank_); };
    state.fill(0);
    const auto written = time_together(all_bytes(), [&] {
      for (int set = 0; set < sets; ++set) {
        state.write_bare(path(set), slab);
        MPI_Barrier(MPI_COMM_WORLD);  // a checkpoint is there when all ranks have written it
      }
    });
    state.clear();
    const auto read = time_together(request_.workload.bytes(), [&] { state.read_bare(path(1)); });
    const auto wrong = state.wrong(0);
    keep(write_name, written, wrong);
    keep(read_name, read, wrong);
  }

  void try_mode(const Method& method) {
    const int compute = ranks_ - method.restart_ranks;
    const FirstRanks team(compute);
    RestartSettings settings;
    settings.mode = method.name;
    settings.directory = folder_;
    std::int64_t wrong = 0;
    Sample written;
    {
      std::unique_ptr<RestartState> state;
      if (team.comm != MPI_COMM_NULL) {
        state = std::make_unique<RestartState>(team.comm, request_.workload, "bisection");
        state->fill(0);
      }
      auto restart = Restart::open({MPI_COMM_WORLD, method.restart_ranks}, settings);
      double call_s = 0.0;
      if (state) {
        restart.define(state->owned());
        for (const auto& field : state->fields()) restart.define(field);
      }
      written = time_together(all_bytes(), [&] {
        if (!state) return restart.serve();
        for (int set = 0; set < sets; ++set) {
          const double begin_s = MPI_Wtime();
          restart.write(60.0 * set, state->views(), {});
          call_s += (MPI_Wtime() - begin_s) / sets;
        }
        restart.close();
      });
      MPI_Allreduce(&call_s, &written.call_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    wrong += read_back(method.name, "same_ranks", compute, "bisection");
    wrong += read_back(method.name, "other_ranks", std::max(1, compute - 1), "curve");
    keep(method.name, written, wrong);
  }

  // Reads the newest set; its checking and its reading are timed apart.
  std::int64_t read_back(const std::string& mode, const std::string& how, int readers,
                         const std::string& decomposition) {
    const FirstRanks team(readers);
    std::unique_ptr<RestartState> state;
    if (team.comm != MPI_COMM_NULL) {
      state = std::make_unique<RestartState>(team.comm, request_.workload, decomposition);
    }
    RestartSet set;
    const auto bytes = request_.workload.bytes();
    const auto found = time_together(bytes, [&] {
      if (state) set = find_restart(team.comm, folder_);
    });
    const auto read = time_together(bytes, [&] {
      if (!state) return;
      read_restart(team.comm, set, state->owned(), state->fields(), state->mutable_views());
    });
    const std::int64_t wrong = state ? state->wrong(0) + (set.time == ModelTime(60.0) ? 0 : 1) : 0;
    keep(fmt::format("{}_check_{}", mode, how), found, wrong);
    keep(fmt::format("{}_read_{}", mode, how), read, wrong);
    return wrong;
  }

  static std::vector<std::pair<std::string, std::string>> lines_of(const Method& method) {
    if (method.name == bare) {
      return {{bare, method.meaning}, {bare_read, "the same files read by their writers"}};
    }
    if (method.name == bare_slabs) return {{bare_slabs, method.meaning}};
    std::vector<std::pair<std::string, std::string>> lines{{method.name, method.meaning}};
    for (const std::string how : {"same_ranks", "other_ranks"}) {
      const std::string on = how == "same_ranks" ? "as many ranks, the same decomposition"
                                                 : "one rank less, another decomposition";
      lines.push_back({method.name + "_check_" + how, "finding the set and its checksums, " + on});
      lines.push_back({method.name + "_read_" + how, "reading the set, " + on});
    }
    return lines;
  }

  static double speed(const Sample& sample) {
    return static_cast<double>(sample.bytes) / 1e6 / sample.wall_s;
  }

  static nlohmann::json as_json(const std::vector<double>& samples) {
    const auto spread = spread_of(samples);
    return {{"median", rounded(spread.median)},
            {"p05", rounded(spread.p05)},
            {"p95", rounded(spread.p95)}};
  }

  /// Of the repetitions in which both were right.
  std::vector<double> paired_ratios(const std::string& name, const std::string& rival) const {
    std::vector<double> ratios;
    if (!samples_.contains(rival)) return ratios;
    for (const auto& [repetition, sample] : samples_.at(name)) {
      const auto other = samples_.at(rival).find(repetition);
      if (other != samples_.at(rival).end()) {
        ratios.push_back(speed(sample) / speed(other->second));
      }
    }
    return ratios;
  }

  void print(const std::string& name, const std::string& meaning) const {
    nlohmann::json line{{"bench", "restart"}, {"method", name}, {"meaning", meaning}};
    if (wrong_.contains(name)) {
      line["wrong"] = fmt::format("{} values", wrong_.at(name));
      return print_line(line);
    }
    std::vector<double> speeds, cpu_s, call_s;
    for (const auto& [repetition, sample] : samples_.at(name)) {
      speeds.push_back(speed(sample));
      cpu_s.push_back(sample.cpu_s);
      call_s.push_back(sample.call_s);
    }
    line.update(
        {{"n", speeds.size()}, {"unit", "MB/s"}, {"cpu_s", rounded(spread_of(cpu_s).median)}});
    line.update(as_json(speeds));
    line["bytes"] = samples_.at(name).begin()->second.bytes;
    if (call_s.front() >= 0.0) line["write_call_s"] = as_json(call_s);
    for (const char* rival : {bare, bare_slabs, bare_read}) {
      const bool reads = call_s.front() < 0.0 && name != bare && name != bare_slabs;
      if (rival == name || (rival == bare_read) != reads) continue;
      line["paired_ratio"][rival] = as_json(paired_ratios(name, rival));
    }
    print_line(line);
  }

  Request request_;
  int rank_ = 0, ranks_ = 1, repetition_ = 0;
  std::string folder_;
  std::vector<Method> methods_;
  Samples samples_;
  std::map<std::string, std::int64_t> wrong_;  // by name of the line
};

Request parse(const std::vector<std::string>& words) {
  Request request{words.front(), 5, {}};
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "--quick") {
      request.workload = {"R2B2", 10};
    } else if (words[i] == "--repetitions" && i + 1 < words.size() &&
               std::atoi(words[i + 1].c_str()) > 0) {
      request.repetitions = std::atoi(words[++i].c_str());
    } else {
      throw Error(Blame::user, fmt::format("'{}' is not understood; see --help", words[i]));
    }
  }
  return request;
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  if (words.empty() || words.front().starts_with("--")) {
    fmt::print(stderr, "{}", usage);
    return words == std::vector<std::string>{"--help"} ? 0 : 2;
  }
  MPI_Init(&count, &arguments);
  int code = 0;
  try {
    start_clock(MPI_COMM_WORLD);
    code = Bench(parse(words)).run();
  } catch (const Error& error) {
    fmt::print(stderr, "thalweg: error: {}\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, error.exit_code());
  } catch (const std::exception& error) {
    fmt::print(stderr, "thalweg: error: unexpected: {}\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return code;
}
