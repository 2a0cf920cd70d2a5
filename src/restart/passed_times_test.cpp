// SPDX-License-Identifier: Apache-2.0
// A state belongs to the time that the model has reached: under an earlier one it would be read as
// what it is not.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "all_ranks.hpp"
#include "restart/set_directory.hpp"
#include "thalweg/error.hpp"
#include "thalweg/restart.hpp"

using namespace thalweg;

TEST_CASE("a_state_of_a_time_that_its_output_has_passed_is_refused_on_all_ranks") {
  for (const auto& mode : restart_modes()) {
    CAPTURE(mode.name);
    const bool dedicated = needs_restart_ranks(mode.name);
    if (dedicated && world_size() < 2) continue;
    const SharedDirectory directory;
    OutputSettings settings;
    settings.mode = "serial";
    settings.directory = directory.path;
    settings.restart_ranks = dedicated ? 1 : 0;
    RestartSettings kept;
    kept.mode = mode.name;
    kept.directory = directory.path + "/restart";
    auto output = Output::open(MPI_COMM_WORLD, settings);
    auto restart = Restart::open(output, kept);
    std::string said;
    if (output.is_restart_rank()) {
      CHECK_THROWS_AS(restart.serve(), Error);  // the compute ranks end before they close
    } else {
      const auto compute = output.compute_comm();
      std::vector<std::int64_t> mine;
      for (std::int64_t point = rank_of(compute); point < 20; point += ranks_of(compute))
        mine.push_back(point);
      const std::vector<double> values(mine.size(), 1.0);
      const std::vector<FieldView> views{{values.data(), 1, 0}};
      const std::vector<OwnedPoints> points{{Place::cell, 20, mine}};
      output.define(points);
      restart.define(points);
      restart.define(FieldInfo{"flat", "", "", "1", Place::cell, 1});
      output.end_time(0.0);
      CHECK_NOTHROW(restart.write(0.0, views, {}));
      output.end_time(10.0);
      CHECK_NOTHROW(restart.write(10.0, views, {}));
      output.end_time(10.3335);
      try {
        restart.write(10.0, views, {});
      } catch (const Error& error) {
        CHECK(error.blame() == Blame::user);
        said = error.what();
      }
      CHECK(said ==
            "a checkpoint of 10 s was to be written, but end_time was called for times up to "
            "10.334 s: "
            "times go "
            "forward; write state after end_time of the same time");
      CHECK_THROWS_AS(close_both(output, &restart), Error);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank() != 0) continue;
    CHECK(list_sets(kept.directory) ==
          std::vector<std::string>{"20000101T000010Z", "20000101T000000Z"});
  }
}
