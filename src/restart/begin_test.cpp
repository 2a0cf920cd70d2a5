// SPDX-License-Identifier: Apache-2.0
// Where a run goes on is found before its files are its own: another program may write there.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "all_ranks.hpp"
#include "thalweg/error.hpp"
#include "thalweg/restart.hpp"

using namespace thalweg;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t cells = 20;

struct Program {
  Program(const std::string& directory, int keep) {
    settings.mode = "serial";
    settings.directory = directory;
    stream.name = "out";
    stream.variables = {"flat"};
    stream.interval = 60.0;
    stream.end = 600.0;
    kept.mode = "sync";
    kept.directory = directory + "/restart";
    kept.keep = keep;
  }
  /// With another output beside, in the same directory.
  Program with(const std::string& other) const {
    Program program = *this;
    program.beside = {{settings, {stream}}};
    program.beside.front().streams.front().name = other;
    return program;
  }

  Beginning look() const {
    return find_beginning(MPI_COMM_WORLD, kept.directory, kept.directory, settings,
                          std::vector{stream}, beside);
  }

  /// Goes on there, or begins, and ends at `end_s`. The output beside is defined first.
  void run(const Beginning& beginning, double end_s) const {
    std::vector<Output> outputs;
    outputs.push_back(Output::open(MPI_COMM_WORLD, settings));
    for (const auto& other : beside)
      outputs.push_back(Output::open(MPI_COMM_WORLD, other.settings));
    auto restart = Restart::open(outputs.front(), kept);
    std::vector<std::int64_t> mine;
    for (std::int64_t point = world_rank(); point < cells; point += world_size())
      mine.push_back(point);
    const std::vector<double> values(mine.size(), 1.0);
    const FieldView view{values.data(), 1, 0};
    const FieldInfo field{"flat", "", "", "1", Place::cell, 1};
    const std::vector<OwnedPoints> points{{Place::cell, cells, mine}};
    restart.define(points);
    restart.define(field);
    const auto& set = beginning.set;
    double time_s = set.path.empty() ? 0.0 : set.time.seconds();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      outputs[i].define(points);
      outputs[i].define(field);
      outputs[i].define(i == 0 ? stream : beside[i - 1].streams.front());
      if (!set.path.empty()) outputs[i].continue_after(set.time, beginning.same_files, set.path);
    }
    outputs.front().once_defined([&] { remove_later_sets(kept.directory, beginning); });
    for (auto output = outputs.rbegin(); output != outputs.rend(); ++output)
      output->end_definition();
    const auto put = [&] {
      for (auto& output : outputs) {
        output.put("flat", view, time_s);
        output.end_time(time_s);
      }
    };
    if (set.path.empty()) put();
    while (time_s < end_s) {
      time_s += 60.0;
      put();
      restart.write(time_s, std::vector{view}, {});
    }
    restart.close();
    for (auto& output : outputs) output.close();
  }

  OutputSettings settings;
  StreamSettings stream;
  std::vector<OutputBeside> beside;
  RestartSettings kept;
};

/// Names and lengths.
std::vector<std::string> left_in(const std::string& directory) {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    const auto bytes = entry.is_regular_file() ? entry.file_size() : 0;
    names.push_back(entry.path().string() + " " + std::to_string(bytes));
  }
  std::sort(names.begin(), names.end());
  return names;
}

void move_to(const std::string& from, const std::string& to) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank() == 0) {
    fs::remove_all(to);
    fs::copy(from, to, fs::copy_options::recursive);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/// A run to 180 s, and with which another program went on to 600 s after this one had looked.
struct Overtaken {
  explicit Overtaken(const Program& program, const Program& looks) : directory(program.settings) {
    if (world_rank() == 0) fs::create_directories(directory.directory);
    MPI_Barrier(MPI_COMM_WORLD);
    program.run({}, 180.0);
    const auto old = program.look();
    REQUIRE(old.set.time.seconds() == 180.0);
    move_to(directory.directory, kept.path + "/before");
    program.run(old, 600.0);
    move_to(directory.directory, kept.path + "/after");
    back();
    seen = looks.look();
    move_to(kept.path + "/after", directory.directory);  // as by another program
    left = left_in(directory.directory);
    MPI_Barrier(MPI_COMM_WORLD);  // others look before locks are taken
  }
  void back() const { move_to(kept.path + "/before", directory.directory); }
  bool is_as_it_was() const {
    MPI_Barrier(MPI_COMM_WORLD);
    const bool same = left_in(directory.directory) == left;
    MPI_Barrier(MPI_COMM_WORLD);
    return same;
  }

  OutputSettings directory;
  SharedDirectory kept;
  Beginning seen;
  std::vector<std::string> left;
};

}  // namespace

TEST_CASE("what_another_program_went_on_with_after_one_had_looked_stays_as_that_left_it") {
  const SharedDirectory directory;
  const Program program(directory.path + "/run", 2);
  const Overtaken run(program, program);
  CHECK_THROWS_WITH_AS(program.run(run.seen, 600.0), doctest::Contains("by another program after"),
                       Error);
  CHECK(run.is_as_it_was());
  CHECK(program.look().set.time.seconds() == 600.0);

  run.back();
  program.run(program.look(), 600.0);  // nothing happened between: it may
  CHECK(program.look().set.time.seconds() == 600.0);
}

TEST_CASE("so_do_files_of_an_output_beside_which_begins_first") {
  const SharedDirectory directory;
  const auto program = Program(directory.path + "/run", 2).with("two");
  const Overtaken run(program, program);
  CHECK_THROWS_WITH_AS(program.run(run.seen, 600.0), doctest::Contains("by another program after"),
                       Error);
  CHECK(run.is_as_it_was());
  CHECK(program.look().set.time.seconds() == 600.0);
}

TEST_CASE("so_does_a_run_whose_directory_is_called_in_two_ways") {
  const SharedDirectory directory;
  const Program program(directory.path + "/run", 20), looks(directory.path + "/./run/", 20);
  const Overtaken run(program, looks);
  CHECK_THROWS_WITH_AS(program.run(run.seen, 600.0), doctest::Contains("by another program after"),
                       Error);
  CHECK(run.is_as_it_was());
}

TEST_CASE("so_do_checkpoints_between_which_nothing_was_written") {
  const SharedDirectory directory;
  Program program(directory.path + "/run", 20);
  program.stream.interval = 3600.0, program.stream.end = 3600.0;
  const Overtaken run(program, program);
  CHECK_THROWS_WITH_AS(program.run(run.seen, 600.0), doctest::Contains("checkpoints in '"), Error);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(program.look().set.time.seconds() == 600.0);
}

TEST_CASE("so_does_a_run_that_was_begun_anew_in_the_place_of_the_one_that_was_seen") {
  const SharedDirectory directory;
  const Program program(directory.path + "/run", 20);
  if (world_rank() == 0) fs::create_directories(program.settings.directory);
  MPI_Barrier(MPI_COMM_WORLD);
  program.run({}, 180.0);
  const auto seen = program.look();
  const auto anew = [&] {
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank() == 0) {
      fs::remove_all(program.settings.directory);
      fs::create_directories(program.settings.directory);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  };
  SUBCASE("by another program") {
    const SharedDirectory kept;
    move_to(program.settings.directory, kept.path + "/seen");
    anew();
    program.run({}, 180.0);  // this one: it forgets what it saw
    move_to(program.settings.directory, kept.path + "/anew");
    move_to(kept.path + "/seen", program.settings.directory);
    const auto again = program.look();
    move_to(kept.path + "/anew", program.settings.directory);
    CHECK_THROWS_WITH_AS(program.run(again, 240.0), doctest::Contains("by another program after"),
                         Error);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(program.look().set.time.seconds() == 180.0);
  }
  SUBCASE("by this one, which may") {
    anew();
    program.run({}, 240.0);
    CHECK(program.look().set.time.seconds() == 240.0);
  }
}

TEST_CASE("outputs_go_on_in_any_order_though_the_name_of_one_begins_with_that_of_the_other") {
  for (const std::string name : {"two", "out_2", "out_20000101T000000Z"}) {
    CAPTURE(name);
    const SharedDirectory directory;
    const auto program = Program(directory.path, 2).with(name);
    program.run({}, 180.0);
    program.run(program.look(), 600.0);
    CHECK(program.look().set.time.seconds() == 600.0);
  }
}

TEST_CASE("an_output_beside_that_has_begun_may_write_before_the_next_one_begins") {
  const SharedDirectory directory;
  const auto program = Program(directory.path, 3).with("two");
  program.run({}, 180.0);
  const auto beginning = program.look();
  auto first = Output::open(MPI_COMM_WORLD, program.settings);
  auto second = Output::open(MPI_COMM_WORLD, program.settings);
  std::vector<std::int64_t> mine;
  for (std::int64_t point = world_rank(); point < cells; point += world_size())
    mine.push_back(point);
  const std::vector<double> values(mine.size(), 1.0);
  const auto begin = [&](Output& output, const StreamSettings& stream) {
    output.define(std::vector<OwnedPoints>{{Place::cell, cells, mine}});
    output.define(FieldInfo{"flat", "", "", "1", Place::cell, 1});
    output.define(stream);
    output.continue_after(beginning.set.time, beginning.same_files, beginning.set.path);
    output.once_defined([&] { remove_later_sets(program.kept.directory, beginning); });
    output.end_definition();
  };
  begin(first, program.stream);
  const auto& beside = program.beside.front().streams.front();
  // As the second one's own look, beside the first.
  find_beginning(MPI_COMM_WORLD, program.kept.directory, program.kept.directory, program.settings,
                 std::vector{beside},
                 std::vector<OutputBeside>{{program.settings, {program.stream}}});
  first.put("flat", FieldView{values.data(), 1, 0}, 240.0);
  first.end_time(240.0);
  begin(second, beside);
  second.put("flat", FieldView{values.data(), 1, 0}, 240.0);
  second.end_time(240.0);
  first.close();
  second.close();
  CHECK(program.look().set.time.seconds() == 180.0);
}

TEST_CASE("two_outputs_that_go_on_from_a_set_before_the_newest_remove_the_newest_once") {
  const SharedDirectory directory;
  const auto program = Program(directory.path, 3);
  program.run({}, 180.0);
  if (world_rank() == 0) fs::remove(directory.path + "/restart/20000101T000300Z/manifest.json");
  MPI_Barrier(MPI_COMM_WORLD);
  const auto one = program.look(), other = program.look();
  REQUIRE(one.set.time.seconds() == 120.0);
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank() == 0) {
    remove_later_sets(program.kept.directory, one);
    remove_later_sets(program.kept.directory, other);
    CHECK_FALSE(fs::exists(directory.path + "/restart/20000101T000300Z"));
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST_CASE("later_checkpoints_stay_where_the_one_to_go_on_from_is_gone") {
  const SharedDirectory directory;
  const Program program(directory.path, 5);
  program.run({}, 180.0);
  auto beginning = program.look();
  beginning.set.path = directory.path + "/restart/20000101T000030Z";
  const auto left = left_in(directory.path);
  CHECK_THROWS_WITH_AS(remove_later_sets(program.kept.directory, beginning),
                       doctest::Contains("was removed by another one meanwhile"), Error);
  CHECK(left_in(directory.path) == left);
  MPI_Barrier(MPI_COMM_WORLD);
}
