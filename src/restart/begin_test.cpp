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

  Beginning look() const {
    return find_beginning(MPI_COMM_WORLD, kept.directory, kept.directory, settings,
                          std::vector{stream});
  }

  /// Goes on there, or begins, and ends at `end_s`.
  void run(const Beginning& beginning, double end_s) const {
    auto output = Output::open(MPI_COMM_WORLD, settings);
    auto restart = Restart::open(output, kept);
    std::vector<std::int64_t> mine;
    for (std::int64_t point = world_rank(); point < cells; point += world_size())
      mine.push_back(point);
    const std::vector<double> values(mine.size(), 1.0);
    const FieldView view{values.data(), 1, 0};
    const FieldInfo field{"flat", "", "", "1", Place::cell, 1};
    const std::vector<OwnedPoints> points{{Place::cell, cells, mine}};
    output.define(points);
    restart.define(points);
    output.define(field);
    restart.define(field);
    output.define(stream);
    const auto& set = beginning.set;
    double time_s = set.path.empty() ? 0.0 : set.time.seconds();
    if (!set.path.empty()) output.continue_after(set.time, beginning.same_files, set.path);
    output.once_defined([&] { remove_later_sets(kept.directory, beginning); });
    output.end_definition();
    if (set.path.empty()) put(output, view, time_s);
    while (time_s < end_s) {
      put(output, view, time_s += 60.0);
      restart.write(time_s, std::vector{view}, {});
    }
    restart.close();
    output.close();
  }

  static void put(Output& output, const FieldView& view, double time_s) {
    output.put("flat", view, time_s);
    output.end_time(time_s);
  }

  OutputSettings settings;
  StreamSettings stream;
  RestartSettings kept;
};

std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(directory))
    names.push_back(entry.path().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

TEST_CASE("what_another_program_went_on_with_after_one_had_looked_stays_as_that_left_it") {
  const SharedDirectory directory, kept;
  const Program program(directory.path + "/run", 2);
  const auto move_to = [&](const std::string& from, const std::string& to) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank() == 0) {
      fs::remove_all(to);
      fs::copy(from, to, fs::copy_options::recursive);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  };
  if (world_rank() == 0) fs::create_directories(program.settings.directory);
  MPI_Barrier(MPI_COMM_WORLD);
  program.run({}, 180.0);
  const auto old = program.look();
  REQUIRE(old.set.time.seconds() == 180.0);
  move_to(program.settings.directory, kept.path + "/before");
  program.run(old, 600.0);
  move_to(program.settings.directory, kept.path + "/after");

  move_to(kept.path + "/before", program.settings.directory);
  const auto seen = program.look();
  move_to(kept.path + "/after", program.settings.directory);  // as by another program
  const auto left = names_in(directory.path);
  MPI_Barrier(MPI_COMM_WORLD);  // others look before locks are taken
  CHECK_THROWS_WITH_AS(program.run(seen, 600.0), doctest::Contains("by another program after"),
                       Error);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(names_in(directory.path) == left);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(program.look().set.time.seconds() == 600.0);

  move_to(kept.path + "/before", program.settings.directory);
  program.run(program.look(), 600.0);  // nothing happened between: it may
  CHECK(program.look().set.time.seconds() == 600.0);
}

TEST_CASE("later_checkpoints_stay_where_the_one_to_go_on_from_is_gone") {
  const SharedDirectory directory;
  const Program program(directory.path, 5);
  program.run({}, 180.0);
  auto beginning = program.look();
  beginning.set.path = directory.path + "/restart/20000101T000030Z";
  const auto left = names_in(directory.path);
  CHECK_THROWS_WITH_AS(remove_later_sets(program.kept.directory, beginning),
                       doctest::Contains("was removed by another one meanwhile"), Error);
  CHECK(names_in(directory.path) == left);
  MPI_Barrier(MPI_COMM_WORLD);
}
