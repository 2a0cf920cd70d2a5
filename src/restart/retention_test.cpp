// SPDX-License-Identifier: Apache-2.0
// While output is behind the model, the checkpoint that a continued run needs stays.
#include "restart/retention.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "all_ranks.hpp"
#include "file/file_bytes.hpp"
#include "restart/set_directory.hpp"
#include "said.hpp"
#include "thalweg/restart.hpp"

using namespace thalweg;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t few_cells = 20;

void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

StreamSettings every_minute() {
  StreamSettings stream;
  stream.interval = 60.0;
  stream.end = 3600.0;
  return stream;
}

/// A run whose outputs are in the journal up to `known_s` only, until the time `all_known_s`: so it
/// looks when writers are behind. At `skipped_s` nothing is put. The restart rank
/// stands still from the checkpoint at `stopped_s` until the next one has begun. Returns the sets
/// that are there at its end.
std::vector<std::string> sets_of(const std::string& mode, const std::string& directory,
                                 const std::vector<double>& times_s, double known_s,
                                 double all_known_s, double skipped_s = -1.0,
                                 const StreamSettings& stream = every_minute(),
                                 const std::string& way = "direct", double stopped_s = -1.0) {
  OutputSettings settings;
  settings.mode = way == "mpiio" ? "shared_file" : "serial";
  settings.way = way;
  settings.directory = directory + "/files";
  settings.restart_ranks = needs_restart_ranks(mode) ? 1 : 0;
  if (world_rank() == 0) fs::create_directories(settings.directory);
  MPI_Barrier(MPI_COMM_WORLD);
  int last_process = getpid();  // a restart rank's, where there is one
  MPI_Bcast(&last_process, 1, MPI_INT, world_size() - 1, MPI_COMM_WORLD);
  auto output = Output::open(MPI_COMM_WORLD, settings);
  RestartSettings kept;
  kept.mode = mode;
  kept.directory = directory + "/restart";
  kept.keep = 1;
  auto restart = Restart::open(output, kept);
  if (output.is_restart_rank()) {
    restart.serve();
    MPI_Barrier(MPI_COMM_WORLD);
    return {};
  }
  std::vector<std::int64_t> mine;
  for (std::int64_t point = 0; point < few_cells; ++point)
    if (point % ranks_of(output.compute_comm()) == rank_of(output.compute_comm()))
      mine.push_back(point);
  const std::vector<double> values(mine.size(), 1.0);
  const FieldInfo field{"flat", "", "", "1", Place::cell, 1};
  const std::vector<FieldView> views{{values.data(), 1, 0}};
  const std::vector<OwnedPoints> points{{Place::cell, few_cells, mine}};
  output.define(points);
  output.define(field);
  output.define(stream);
  restart.define(points);
  restart.define(field);
  const auto journal = settings.directory + "/journal/out_20000101T000000Z.nc.jsonl";
  std::uintmax_t known_bytes = 0;
  std::string hidden;  // all of the journal, while less of it is shown
  std::optional<Stopped> stopped;
  std::jthread later;
  for (const double time_s : times_s) {
    const bool is_first = rank_of(output.compute_comm()) == 0;
    if (!hidden.empty()) write_text(journal, std::exchange(hidden, {}));
    const bool is_skipped = time_s == skipped_s;
    if (!is_skipped) output.put("flat", views[0], time_s);
    output.end_time(is_skipped ? time_s + 1.0 : time_s);
    if (time_s == stopped_s) restart.complete();  // or the set before waits for who is stopped
    if (is_first) {
      if (time_s == stopped_s) stopped.emplace(last_process);
      if (stopped && time_s > stopped_s) {
        later = std::jthread([&] {  // after a time in which a checkpoint begins that does not wait
          std::this_thread::sleep_for(std::chrono::milliseconds(200));
          stopped.reset();
        });
      }
      if (time_s == known_s) known_bytes = fs::file_size(journal);
      if (time_s > known_s && time_s < all_known_s) {
        hidden = text_of(journal).value();
        fs::resize_file(journal, known_bytes);
      }
    }
    restart.write(is_skipped ? time_s + 1.0 : time_s, views, {});
  }
  close_both(output, &restart);
  const auto sets = list_sets(kept.directory);
  MPI_Barrier(MPI_COMM_WORLD);
  return sets;
}

}  // namespace

TEST_CASE("the_newest_checkpoint_whose_outputs_are_in_files_stays_whatever_keep_says") {
  for (const auto& mode : restart_modes()) {
    CAPTURE(mode.name);
    if (needs_restart_ranks(mode.name) && world_size() < 2) continue;
    const SharedDirectory directory;
    const auto sets = sets_of(mode.name, directory.path, {60, 120, 180, 240}, 60, 1e9);
    if (world_rank() != 0) continue;
    CHECK(sets == std::vector<std::string>{"20000101T000400Z", "20000101T000300Z",
                                           "20000101T000200Z", "20000101T000100Z"});
  }
}

TEST_CASE("checkpoints_beyond_keep_go_when_the_output_has_come_after") {
  for (const auto& mode : restart_modes()) {
    CAPTURE(mode.name);
    if (needs_restart_ranks(mode.name) && world_size() < 2) continue;
    const SharedDirectory directory;
    const auto sets = sets_of(mode.name, directory.path, {60, 120, 180, 240, 300}, 60, 300);
    if (world_rank() != 0) continue;
    CHECK(sets == std::vector<std::string>{"20000101T000500Z"});
  }
}

TEST_CASE("a_checkpoint_after_a_time_that_was_passed_over_counts") {
  for (const auto& mode : restart_modes()) {
    CAPTURE(mode.name);
    if (needs_restart_ranks(mode.name) && world_size() < 2) continue;
    const SharedDirectory directory;
    const auto sets = sets_of(mode.name, directory.path, {60, 120}, 1e9, 1e9, 120);
    if (world_rank() != 0) continue;
    CHECK(sets == std::vector<std::string>{"20000101T000201Z"});
    OutputSettings settings;
    settings.directory = directory.path + "/files";
    const auto stream = every_minute();
    const auto missing = [&](double time_s) {
      return missing_output(settings, std::span(&stream, 1), time_s);
    };
    CHECK(missing(121.0) == "");
    CHECK(missing(122.0) != "");  // nothing was noted at that time
    fs::remove(settings.directory + "/journal/reached.json");
    CHECK(missing(60.0) == "");
    CHECK(missing(121.0).find("the output of stream 'out' at 120 s is not in") == 0);
  }
}

TEST_CASE("the_newest_checkpoint_before_a_file_that_a_kill_may_break_stays_until_it_is_complete") {
  for (const auto& mode : restart_modes()) {
    CAPTURE(mode.name);
    if (needs_restart_ranks(mode.name) && world_size() < 2) continue;
    auto stream = every_minute();
    stream.file_interval = 180.0;  // files of 0 to 120 s, 180 to 300 s, ...
    stream.layout = "chunked";
    const std::vector<std::vector<std::string>> kept_by_mpi_io{
        {"20000101T000300Z", "20000101T000200Z"},
        {"20000101T000400Z", "20000101T000200Z"},
        {"20000101T000500Z"},
        {"20000101T000600Z", "20000101T000500Z"}};
    std::vector<double> times{60.0, 120.0};
    for (const auto& kept : kept_by_mpi_io) {
      times.push_back(times.back() + 60.0);
      for (const std::string way : {"direct", "mpiio"}) {
        CAPTURE(way);
        const SharedDirectory directory;
        const auto sets = sets_of(mode.name, directory.path, times, 1e9, 1e9, -1.0, stream, way);
        if (world_rank() != 0) continue;
        CHECK(sets == (way == "mpiio" ? kept : std::vector{kept.front()}));
      }
    }
  }
}

TEST_CASE("a_checkpoint_that_is_on_its_way_when_the_next_begins_is_a_way_back_too") {
  for (const auto& mode : restart_modes()) {
    CAPTURE(mode.name);
    if (!needs_restart_ranks(mode.name) || world_size() < 2) continue;
    auto stream = every_minute();
    stream.file_interval = 180.0;
    stream.layout = "chunked";
    const SharedDirectory directory;
    const auto sets =
        sets_of(mode.name, directory.path, {60, 120, 180}, 1e9, 1e9, -1.0, stream, "mpiio", 120);
    if (world_rank() != 0) continue;
    CHECK(sets == std::vector<std::string>{"20000101T000300Z", "20000101T000200Z"});
  }
}

TEST_CASE("of_each_checkpoint_one_answer_holds_though_writers_go_on") {
  if (world_size() > 1) return;
  const SharedDirectory directory;
  std::map<std::int64_t, int> asked;
  // Files of 180 s, of which the newest is being changed whenever one looks again.
  const auto covered = [&](ModelTime time) {
    const auto file = ModelTime::of_ms(time.ms() / 180'000 * 180'000);
    return Coverage{asked[time.ms()]++ == 0, {file}};
  };
  Retention retention(directory.path, 1, covered, {});
  for (int minute = 1; minute <= 8; ++minute) {
    const auto date = fmt::format("20000101T00{:02d}00Z", minute);
    asked.clear();
    const auto kept = retention.before(date, ModelTime::of_ms(60'000 * minute));
    for (const auto& [time, times] : asked) CHECK(times == 1);
    fs::create_directories(directory.path + "/" + date);
    if (minute != 8) continue;
    CHECK(kept.from_date == "20000101T000800Z");
    CHECK(kept.also == std::set<std::string>{"20000101T000200Z", "20000101T000500Z"});
  }
}

TEST_CASE("checkpoints_that_stay_for_an_output_that_is_never_defined_are_told") {
  const SharedDirectory directory;
  OutputSettings settings;
  settings.directory = directory.path + "/files";
  if (world_rank() == 0) fs::create_directories(settings.directory);
  MPI_Barrier(MPI_COMM_WORLD);
  auto never_defined = Output::open(MPI_COMM_WORLD, settings);
  std::vector<std::string> sets;
  const auto said = said_in([&] {
    sets = sets_of("sync", directory.path, {60, 120, 180}, 1e9, 1e9);
  });
  never_defined.close();
  const bool tells = said.find("another output is open and not defined") != said.npos;
  CHECK(tells == (world_rank() == 0));
  if (world_rank() == 0) CHECK(sets.size() == 3);
}

TEST_CASE("a_set_that_is_removed_is_none_from_the_first_moment_on") {
  if (world_size() > 1) return;
  const SharedDirectory directory;
  const auto set = directory.path + "/20000101T000000Z";
  fs::create_directories(set);
  for (int part = 0; part < 3000; ++part) write_text(fmt::format("{}/part_{}.bin", set, part), "x");
  write_text(set + "/manifest.json", "{}");
  std::atomic<bool> is_over = false;
  bool was_half = false;
  std::thread looker([&] {
    while (!is_over) {
      const auto sets = list_sets(directory.path);
      if (sets.empty() || fs::exists(set + "/manifest.json")) continue;
      was_half = was_half || !list_sets(directory.path).empty();
    }
  });
  remove_sets_after(directory.path, "");
  is_over = true;
  looker.join();
  CHECK_FALSE(was_half);
  CHECK(fs::is_empty(directory.path));
}
