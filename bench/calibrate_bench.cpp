// SPDX-License-Identifier: Apache-2.0
// thalweg_calibrate_bench: messages and files of this machine, one round of `thalweg calibrate`.
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "calibrate_request.hpp"
#include "json_lines.hpp"
#include "measuring.hpp"
#include "message_times.hpp"
#include "ranks/agreement.hpp"
#include "thalweg/error.hpp"
#include "thalweg/wait.hpp"
#include "write_times.hpp"

namespace {

using namespace thalweg;
using namespace thalweg::bench;

constexpr const char* usage =
    "Usage: mpirun -n N calibrate_bench DIRECTORY [--seconds S] [--seed N]\n"
    "           [--file-seconds F] [--sizes A,B,C]\n"
    "  --seconds  repeats everything until then, at least once\n"
    "  --seed     of the order\n"
    "  --file-seconds  how long a file takes to write: sizes are tried out\n"
    "  --sizes    or bytes of a file of each team, as an earlier round printed them\n"
    "Example: mpirun -n 4 calibrate_bench /scratch/empty --seconds 20\n";

constexpr double wait_limit_s = 120.0;
constexpr int most_writers_of_node = 8;
constexpr std::int64_t largest_file = std::int64_t{1} << 30;
constexpr std::int64_t gathered_bytes = std::int64_t{64} << 20;  ///< at most, of all ranks
constexpr std::int64_t share_of_disk = 4;  ///< at most a quarter of what is free is written at once

/// Something that is measured again and again: times in the order of their trials.
struct Series {
  std::string method, team;
  nlohmann::json facts;
  std::vector<double> wall_s{}, cpu_s{};

  void add(const Sample& sample) {
    wall_s.push_back(sample.wall_s);
    cpu_s.push_back(sample.cpu_s);
  }
  nlohmann::json line() const {
    const auto spread = spread_of(wall_s);
    nlohmann::json line{{"bench", "calibrate"}, {"method", method},   {"team", team},
                        {"unit", "s"},          {"n", wall_s.size()}, {"median", spread.median},
                        {"p05", spread.p05},    {"p95", spread.p95},  {"samples", wall_s},
                        {"cpu_samples", cpu_s}};
    line.update(facts);
    return line;
  }
};

class Round {
 public:
  explicit Round(const CalibrateRequest& request)
      : request_(request), layout_(Layout::find()), begin_s_(MPI_Wtime()) {
    make_teams();
    choose_way();
    make_message_timers();
    for (const auto* team : writers_)
      write_timers_.push_back(
          std::make_unique<WriteTimer>(*team, request_.directory, way_, bytes_));
    choose_sizes();
    print_line({{"layout",
                 {{"ranks", layout_.ranks},
                  {"nodes", layout_.nodes},
                  {"cores_per_node", layout_.cores_per_node},
                  {"ranks_on_first_node", layout_.ranks_on_first_node},
                  {"few_ranks", few_->ranks},
                  {"way", name_of(way_)},
                  {"sizes", sizes_}}}});
    add_tasks();
  }

  void run() {
    std::mt19937 random(request_.seed);
    double longest_s = 0.0, elapsed_s = 0.0;
    do {
      const double from_s = MPI_Wtime();
      std::shuffle(tasks_.begin(), tasks_.end(), random);  // the same on every rank
      for (const auto& task : tasks_) {
        task();
        print_line({{"progress",
                     {{"done", MPI_Wtime() - begin_s_},
                      {"of", request_.seconds},
                      {"method", "messages and files"}}}});
      }
      longest_s = std::max(longest_s, MPI_Wtime() - from_s);
      elapsed_s = largest(MPI_COMM_WORLD, MPI_Wtime() - begin_s_);
      longest_s = largest(MPI_COMM_WORLD, longest_s);
    } while (elapsed_s + longest_s < request_.seconds);
    for (const auto& series : series_) print_line(series->line());
  }

 private:
  void make_teams() {
    const int on_first = layout_.ranks_on_first_node, ranks = layout_.ranks;
    const auto team = [&](const char* name, const std::function<bool(int)>& has) {
      return std::make_unique<Team>(name, layout_, has);
    };
    const auto first_of_node = [this](int count) {
      return [this, count](int rank) {
        const auto& node = layout_.node;
        return node[rank] == 0 && std::count(node.begin(), node.begin() + rank, 0) < count;
      };
    };
    all_ = team("all", [](int) { return true; });
    few_ = team(
        "few", layout_.nodes > 1 ? std::function<bool(int)>(first_of_node(on_first))
                                 : [ranks](int rank) { return rank < (ranks + 1) / 2; });
    one_ = team("one", [](int rank) { return rank == 0; });
    node_ = team("node", first_of_node(std::min(on_first, most_writers_of_node)));
    writers_ = {one_.get()};
    if (node_->ranks > 1) writers_.push_back(node_.get());
    if (all_->ranks > node_->ranks) writers_.push_back(all_.get());
  }

  void choose_way() {
    bool taken = true;
    let_team(*all_, "all ranks to try the disk", [&] {
      if (!std::filesystem::is_directory(request_.directory))
        throw Error(Blame::user,
                    fmt::format("there is no directory '{}' on its node; give one that "
                                "all nodes share",
                                request_.directory));
      taken = takes_past_cache(request_.directory, fmt::format("try_{}.raw", layout_.rank));
    });
    way_ = all_true(MPI_COMM_WORLD, taken, "all ranks to try the disk") ? Way::past_cache
                                                                        : Way::flushed;
  }

  void make_message_timers() {
    for (const auto* team : {few_.get(), all_.get()}) {
      if (team->ranks < 2 || (team == few_.get() && few_->ranks == all_->ranks)) continue;
      const auto large = std::clamp<std::int64_t>(gathered_bytes / team->ranks, 1 << 14, 1 << 20);
      add_messages("exchange", std::make_unique<ExchangeTimer>(*team, 1),
                   std::make_unique<ExchangeTimer>(*team, 100));
      add_messages("gather", std::make_unique<GatherTimer>(*team, 8),
                   std::make_unique<GatherTimer>(*team, large));
    }
  }

  /// Both sizes one after the other: what a busy machine does to one, it does to the other.
  void add_messages(const std::string& method, std::unique_ptr<MessageTimer> small,
                    std::unique_ptr<MessageTimer> large) {
    std::vector<std::function<void()>> both;
    for (auto* timer : {&small, &large}) {
      (*timer)->time();  // the first one counts for nothing
      auto* series = new_series(method, (*timer)->team(), {{"bytes", (*timer)->bytes()}});
      both.emplace_back([series, its = timer->get()] { series->add(its->time()); });
      message_timers_.push_back(std::move(*timer));
    }
    tasks_.emplace_back([both] {
      for (const auto& one : both) one();
    });
  }

  /// So large that a file takes some tenths of a second, and all of them fit on the disk with ease.
  void choose_sizes() {
    std::int64_t room = 0;
    let_team(*all_, "all ranks to look at the disk",
             [&] { room = free_bytes(request_.directory); });
    room = static_cast<std::int64_t>(-largest(MPI_COMM_WORLD, -static_cast<double>(room)));
    if (room / share_of_disk < slab_bytes * layout_.ranks) {
      throw Error(Blame::file_system,
                  fmt::format("the disk of '{}' has {} MB free, but {} ranks need {} MB to write "
                              "their files; make room or choose another --directory",
                              request_.directory, room / 1000000, layout_.ranks,
                              slab_bytes * layout_.ranks * share_of_disk / 1000000));
    }
    for (std::size_t i = 0; i < write_timers_.size(); ++i) {
      auto& timer = *write_timers_[i];
      auto size = i < request_.sizes.size() ? request_.sizes[i] : 0;
      if (size == 0) {
        timer.try_out(slab_bytes);  // the first one counts for nothing
        size = static_cast<std::int64_t>(slab_bytes * request_.file_seconds /
                                         timer.try_out(slab_bytes));
      }
      const auto most = std::min(largest_file, room / share_of_disk / timer.team().ranks);
      size = std::clamp(size, slab_bytes, most) / slab_bytes * slab_bytes;
      timer.set_size(size);
      sizes_.push_back(size);
    }
  }

  void add_tasks() {
    for (const auto& timer : write_timers_) {
      const nlohmann::json facts{{"bytes", timer->size_bytes() * timer->team().ranks},
                                 {"way", name_of(way_)}};
      auto* made = new_series("write_new", timer->team(), facts);
      auto* again = new_series("overwrite", timer->team(), facts);
      tasks_.emplace_back([made, again, its = timer.get()] {
        const auto trial = its->time();
        made->add(trial.made);
        again->add(trial.overwritten);
      });
      file_timers_.push_back(
          std::make_unique<FileTimer>(timer->team(), request_.directory, bytes_));
      auto* file = new_series("file", timer->team(), nlohmann::json::object());
      tasks_.emplace_back([file, its = file_timers_.back().get()] { file->add(its->time()); });
    }
  }

  Series* new_series(const std::string& method, const Team& team, nlohmann::json facts) {
    facts.update({{"ranks", team.ranks}, {"nodes", team.nodes}});
    series_.push_back(std::make_unique<Series>(Series{method, team.name, std::move(facts)}));
    return series_.back().get();
  }

  CalibrateRequest request_;
  Layout layout_;
  double begin_s_;
  std::unique_ptr<Team> all_, few_, one_, node_;
  std::vector<const Team*> writers_;  // one; some of a node; all: where they differ
  Way way_ = Way::flushed;
  KnownBytes bytes_;
  std::vector<std::int64_t> sizes_;  // bytes of a file, as writers_
  std::vector<std::unique_ptr<MessageTimer>> message_timers_;
  std::vector<std::unique_ptr<WriteTimer>> write_timers_;
  std::vector<std::unique_ptr<FileTimer>> file_timers_;
  std::vector<std::unique_ptr<Series>> series_;
  std::vector<std::function<void()>> tasks_;
};

/// A failure that all ranks know is told by the first of them, which ends the others. One that only
/// this rank knows is told later, and ends those who wait for it.
[[noreturn]] void end_with(const Error& error) {
  constexpr std::chrono::seconds for_the_first{5};
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank > 0) std::this_thread::sleep_for(for_the_first);
  fmt::print(stderr, "thalweg: error: {}\n", error.what());
  std::fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, error.exit_code());
  std::_Exit(error.exit_code());  // MPI_Abort does not return
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  if (words.empty() || words.front().starts_with("--")) {
    fmt::print(stderr, "{}", usage);
    return words == std::vector<std::string>{"--help"} ? 0 : 2;
  }
  MPI_Init(&count, &arguments);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that outgrows its limit is a sentence, not a signal
  try {
    set_wait_timeout(wait_limit_s);
    Round(CalibrateRequest::parse(words)).run();
  } catch (const std::invalid_argument&) {
    end_with(Error(Blame::user, "an option has a value that is no number; see --help"));
  } catch (const std::exception& error) {
    end_with(error_of(error));
  }
  MPI_Finalize();
  return 0;
}
