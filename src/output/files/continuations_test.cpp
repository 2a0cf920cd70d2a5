// SPDX-License-Identifier: Apache-2.0
// Several outputs of one run, which begin, continue and end in any order.
#include "output/files/continuations.hpp"

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "all_ranks.hpp"
#include "output/files/coverage.hpp"
#include "thalweg/error.hpp"
#include "thalweg/output.hpp"

using namespace thalweg;
namespace fs = std::filesystem;

namespace {

struct How {
  std::optional<double> after_s = std::nullopt;
  bool same_files = true, again = false;
  MPI_Comm comm = MPI_COMM_WORLD;
};

OutputSettings settings_of(const SharedDirectory& directory) {
  OutputSettings settings;
  settings.mode = "serial";
  settings.directory = directory.path;
  return settings;
}

StreamSettings stream_of(const char* name, double end_s = 100.0) {
  StreamSettings stream;
  stream.name = name;
  stream.interval = 10.0;
  stream.end = end_s;
  stream.file_interval = 20.0;
  return stream;
}

/// Three cells on each rank.
Output open_output(const OutputSettings& settings, const std::vector<StreamSettings>& streams,
                   const How& how = {}) {
  auto output = Output::open(how.comm, settings);
  if (how.again) output.begin_again();
  if (how.after_s) output.continue_after(*how.after_s, how.same_files, "restart/somewhere");
  int rank = 0, ranks = 1;
  MPI_Comm_rank(how.comm, &rank);
  MPI_Comm_size(how.comm, &ranks);
  static std::vector<std::int64_t> cells;
  cells = {3 * rank, 3 * rank + 1, 3 * rank + 2};
  output.define(std::vector<OwnedPoints>{{Place::cell, 3 * ranks, cells}});
  output.define(FieldInfo{"deep", "", "", "1", Place::cell, 1});
  for (const auto& stream : streams) output.define(stream);
  output.end_definition();
  return output;
}

void put(Output& output, const std::vector<double>& times_s) {
  static const std::array values{1.0, 2.0, 3.0};
  for (const double time_s : times_s) {
    output.put("deep", {values.data(), 1, 1}, time_s);
    output.end_time(time_s);
  }
}

void end(Output& output, double checkpoint_s) {
  output.company().note_checkpoint(checkpoint_s);
  output.close();
}

}  // namespace

TEST_CASE("an_output_that_begins_beside_one_that_goes_on_has_missed_nothing") {
  if (world_size() > 1) return;
  const SharedDirectory directory;
  const auto settings = settings_of(directory);
  const std::vector<StreamSettings> old{stream_of("a")}, young{stream_of("c")};
  {
    auto a = open_output(settings, old);
    put(a, {0.0, 10.0, 20.0, 30.0});
    end(a, 35.0);
  }
  {
    auto a = open_output(settings, old, {25.0});
    auto c = open_output(settings, young, {25.0, false});
    for (auto* output : {&a, &c}) put(*output, {30.0, 40.0, 50.0, 60.0});
    end(a, 65.0);
    end(c, 65.0);
  }
  CHECK(missing_output(settings, old, 65.0) == "");
  CHECK(missing_output(settings, young, 65.0) == "");
  CHECK(missing_output(settings, young, 20.0) == "its streams begin at 25 s");
  auto c = open_output(settings, young, {65.0});
  put(c, {70.0});
  c.close();
}

TEST_CASE("processes_of_one_program_take_part_in_one_continuation") {
  if (world_size() < 2) return;
  const SharedDirectory directory;
  const auto settings = settings_of(directory);
  const std::vector<StreamSettings> one{stream_of("a")}, other{stream_of("b")};
  MPI_Comm reversed = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank(), &reversed);
  const auto run = [&](const How& first, const How& second, const std::vector<double>& times_s) {
    auto a = open_output(settings, one, first);
    auto b = open_output(settings, other, second);
    for (auto* output : {&a, &b}) put(*output, times_s);
    for (auto* output : {&a, &b}) end(*output, times_s.back() + 5.0);
    MPI_Barrier(MPI_COMM_WORLD);
  };
  run({}, {}, {0.0, 10.0, 20.0});
  run({25.0}, {.after_s = 25.0, .comm = reversed}, {30.0, 40.0, 50.0});
  if (std::getenv("PMIX_NAMESPACE") != nullptr) {  // else nobody knows that they are of one program
    CHECK(missing_output(settings, one, 55.0) == "");
    CHECK(missing_output(settings, other, 55.0) == "");
  }
  MPI_Comm_free(&reversed);
}

TEST_CASE("an_output_that_begins_leaves_what_others_had_passed_over") {
  if (world_size() > 1) return;
  const SharedDirectory directory;
  const auto settings = settings_of(directory);
  const std::vector<StreamSettings> one{stream_of("a")}, other{stream_of("b")};
  auto a = open_output(settings, one);
  put(a, {0.0});
  a.end_time(25.0);
  a.company().note_checkpoint(25.0);
  CHECK(missing_output(settings, one, 25.0) == "");
  auto b = open_output(settings, other);
  CHECK(missing_output(settings, one, 25.0) == "");
  b.close();
  a.close();
}

TEST_CASE("a_run_in_a_directory_that_was_emptied_has_a_name_of_its_own") {
  if (world_size() > 1) return;
  const SharedDirectory directory;
  std::vector<std::string> names;
  for (int run = 0; run < 2; ++run) {
    auto output = open_output(settings_of(directory), {stream_of("a")});
    put(output, {0.0});
    names.push_back(output.company().run());
    output.close();
    for (const auto& entry : fs::directory_iterator(directory.path)) fs::remove_all(entry);
  }
  CHECK(names[0] != names[1]);
}

TEST_CASE("a_program_that_was_killed_before_its_second_output_began_begins_again") {
  if (world_size() > 1) return;
  const SharedDirectory directory;
  const auto settings = settings_of(directory);
  open_output(settings, {stream_of("a")}).close();
  const std::vector<StreamSettings> both{stream_of("a"), stream_of("b")};
  CHECK(find_begun_run(settings, both));
  auto a = open_output(settings, {both[0]});
  put(a, {0.0});
  CHECK_THROWS_WITH_AS(find_begun_run(settings, both), doctest::Contains("'b' is not among them"),
                       Error);
  a.close();
}

TEST_CASE("streams_of_two_runs_may_begin_again_as_one") {
  if (world_size() > 1) return;
  const SharedDirectory directory;
  const auto settings = settings_of(directory);
  const std::vector<StreamSettings> both{stream_of("a"), stream_of("b")};
  for (const auto& streams : {both, std::vector{both[0]}, both}) {
    auto output = open_output(settings, streams, {.again = true});
    put(output, {0.0, 10.0});
    output.close();
  }
  CHECK(missing_output(settings, both, 10.0) == "");
  auto one = open_output(settings, {both[0]}, {.again = true});
  put(one, {0.0, 10.0});
  one.close();
  CHECK(find_begun_run(settings, both, false));
  CHECK_THROWS_WITH_AS(find_begun_run(settings, both), doctest::Contains("in another run"), Error);
}

TEST_CASE("outputs_that_were_not_due_are_not_missed_where_they_fill_files") {
  if (world_size() > 1) return;
  const SharedDirectory directory;
  const auto settings = settings_of(directory);
  {
    auto output = open_output(settings, {stream_of("a", 30.0)});
    put(output, {0.0, 10.0, 20.0, 30.0});
    end(output, 75.0);
  }
  const std::vector<StreamSettings> longer{stream_of("a")};
  CHECK(missing_output(settings, longer, 75.0) == "");
  {
    auto output = open_output(settings, longer, {75.0});
    end(output, 77.0);
  }
  CHECK(missing_output(settings, longer, 77.0) == "");
  {
    auto output = open_output(settings, longer, {77.0});
    put(output, {80.0, 90.0});
    end(output, 95.0);
  }
  CHECK(missing_output(settings, longer, 95.0) == "");
  auto output = open_output(settings, longer, {35.0});  // now they are due, from 40 s on
  end(output, 55.0);
  CHECK(missing_output(settings, longer, 55.0) == "");  // passed over
  fs::remove(directory.path + "/journal/reached.json");
  CHECK(missing_output(settings, longer, 55.0) != "");
}

TEST_CASE("a_stream_that_comes_back_ending_earlier_still_has_what_the_run_did_without_it") {
  if (world_size() > 1) return;
  const SharedDirectory directory;
  const auto settings = settings_of(directory);
  {
    auto output = open_output(settings, {stream_of("a"), stream_of("b"), stream_of("c", 20.0)});
    put(output, {0.0, 10.0, 20.0, 30.0, 40.0});
    end(output, 45.0);
  }
  {
    auto output = open_output(settings, {stream_of("a")}, {25.0});
    put(output, {30.0, 40.0, 50.0});
    end(output, 55.0);
  }
  const std::vector<StreamSettings> shorter{stream_of("a"), stream_of("b", 20.0)};
  const char* why = "the run went on from 25 s without stream 'b', which has outputs after that";
  CHECK(missing_output(settings, shorter, 55.0) == why);
  CHECK_THROWS_WITH_AS(open_output(settings, shorter, {55.0}), doctest::Contains(why), Error);
  const std::vector<StreamSettings> ended{stream_of("a"), stream_of("c", 20.0)};
  CHECK(missing_output(settings, ended, 55.0) == "");
  CHECK(missing_output(settings, shorter, 25.0) == "");
}

TEST_CASE("a_stream_that_never_came_so_far_has_missed_nothing") {
  if (world_size() > 1) return;
  const SharedDirectory directory;
  const auto settings = settings_of(directory);
  {
    auto output = open_output(settings, {stream_of("a"), stream_of("b")});
    put(output, {0.0, 10.0, 20.0});
    end(output, 25.0);
  }
  {
    auto output = open_output(settings, {stream_of("a")}, {25.0});
    put(output, {30.0, 40.0, 50.0});
    end(output, 55.0);
  }
  const std::vector<StreamSettings> ended{stream_of("a"), stream_of("b", 20.0)};
  CHECK(missing_output(settings, ended, 55.0) == "");
  CHECK_NOTHROW(open_output(settings, ended, {55.0}).close());
}

TEST_CASE("a_complete_file_of_times_that_a_run_had_not_stays") {
  if (world_size() > 1) return;
  const SharedDirectory directory;
  const auto settings = settings_of(directory);
  const auto older = directory.path + "/a_20000101T000040Z.nc";
  {
    auto output = open_output(settings, {stream_of("a")});
    put(output, {0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0});
    output.close();
  }
  {
    auto output = open_output(settings, {stream_of("a", 30.0)});
    put(output, {0.0, 10.0, 20.0, 30.0});
    end(output, 65.0);
  }
  for (const double end_s : {100.0, 30.0}) {
    CHECK(fs::exists(older));
    open_output(settings, {stream_of("a", end_s)}, {65.0}).close();
  }
  CHECK(fs::exists(older));
}

TEST_CASE("outputs_that_are_lost_to_a_shorter_stream_are_not_due_when_it_is_longer_again") {
  if (world_size() > 1) return;
  const SharedDirectory directory;
  const auto settings = settings_of(directory);
  {
    auto output = open_output(settings, {stream_of("a")});
    put(output, {0.0, 10.0, 20.0, 30.0});
    output.close();
  }
  const std::vector<StreamSettings> longer{stream_of("a")};
  CHECK(missing_output(settings, longer, 45.0) != "");  // of the checkpoint of a killed run
  open_output(settings, {stream_of("a", 10.0)}, {45.0}).close();
  CHECK(missing_output(settings, longer, 45.0) == "");
  auto output = open_output(settings, longer, {45.0});
  put(output, {50.0});
  end(output, 55.0);
  CHECK(missing_output(settings, longer, 55.0) == "");
}

TEST_CASE("a_kill_while_a_file_behind_a_gap_is_made_leaves_a_run_that_goes_on") {
  if (world_size() > 1) return;
  for (const double end_s : {100.0, 30.0}) {
    const SharedDirectory directory;
    const auto settings = settings_of(directory);
    {
      auto output = open_output(settings, {stream_of("a", 30.0)});
      put(output, {0.0, 10.0, 20.0, 30.0});
      end(output, 65.0);
    }
    open_output(settings, {stream_of("a")}, {65.0}).close();  // from here on 60 s was not due
    std::vector<std::string> made;
    for (const char* minute : {"000040", "000100"})
      made.push_back(directory.path + "/a_20000101T" + minute + "Z.nc.part");
    for (const auto& path : made) std::ofstream(path) << "half a description";
    auto output = open_output(settings, {stream_of("a", end_s)}, {65.0});
    for (const auto& path : made) CHECK_FALSE(fs::exists(path));
    if (end_s > 70.0) put(output, {70.0, 80.0});
    output.close();
    CHECK(fs::exists(directory.path + "/a_20000101T000100Z.nc") == (end_s > 70.0));
  }
}

TEST_CASE("a_run_that_begins_anew_leaves_the_files_of_times_that_it_never_comes_to") {
  for (const char* mode : {"serial", "async"}) {
    if (std::string(mode) == "async" && world_size() == 1) continue;
    const SharedDirectory directory;
    auto settings = settings_of(directory);
    settings.mode = mode;
    settings.io_ranks = std::string(mode) == "async" ? 1 : 0;
    const auto run = [&](double last_s) {
      auto output = Output::open(MPI_COMM_WORLD, settings);
      if (output.is_compute_rank()) {
        const std::vector<std::int64_t> cells{3 * world_rank(), 3 * world_rank() + 1,
                                              3 * world_rank() + 2};
        const int compute_ranks = world_size() - settings.io_ranks;
        output.define(std::vector<OwnedPoints>{{Place::cell, 3 * compute_ranks, cells}});
        output.define(FieldInfo{"deep", "", "", "1", Place::cell, 1});
        output.define(stream_of("a"));
        output.end_definition();
        for (double time_s = 0.0; time_s <= last_s; time_s += 10.0) put(output, {time_s});
        output.close();
      } else {
        output.serve();
      }
      MPI_Barrier(MPI_COMM_WORLD);
    };
    run(70.0);
    run(30.0);
    for (const char* minute : {"000000", "000020", "000040", "000100"})
      CHECK(fs::exists(directory.path + "/a_20000101T" + minute + "Z.nc"));
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

TEST_CASE("a_file_that_somebody_cut_ends_in_a_sentence_at_once") {
  if (world_size() != 2) return;
  for (const char* mode : {"shared_file", "file_parallel"}) {
    const SharedDirectory directory;
    auto settings = settings_of(directory);
    settings.mode = mode;
    settings.way = "mpiio";
    settings.timeout_s = 60.0;
    auto stream = stream_of("a");
    stream.container = "cdf5";
    stream.file_interval = 0.0;
    const auto begin = std::chrono::steady_clock::now();
    auto output = open_output(settings, {stream});
    put(output, {0.0, 10.0});
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank() == 0) {
      for (const auto& entry : fs::directory_iterator(directory.path))
        if (entry.path().extension() == ".part") fs::resize_file(entry.path(), 100);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_THROWS_AS(output.close(), Error);
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(50));
  }
}
