// SPDX-License-Identifier: Apache-2.0
// A restart rank that cannot go on lets nobody wait, and says why.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "all_ranks.hpp"
#include "little_memory.hpp"
#include "thalweg/error.hpp"
#include "thalweg/restart.hpp"

using namespace thalweg;

namespace {

void write_large_state(Restart& restart, MPI_Comm compute) {
  constexpr std::int64_t points = 6'000'000;  // 24 MB for each of two ranks: in several messages
  std::vector<std::int64_t> mine;
  for (std::int64_t point = rank_of(compute); point < points; point += ranks_of(compute))
    mine.push_back(point);
  restart.define(std::vector<OwnedPoints>{{Place::cell, points, mine}});
  restart.define(FieldInfo{"state", "", "", "1", Place::cell, 1});
  const std::vector<double> values(mine.size(), 1.0);
  const std::vector<FieldView> views{{values.data(), 1, 1}};
  restart.write(60.0, views, {});
  restart.close();
}

}  // namespace

TEST_CASE("memory_that_runs_out_on_a_restart_rank_is_said_on_every_compute_rank") {
  if (world_size() < 2) return;
  const SharedDirectory directory;
  RestartSettings settings;
  settings.mode = "async";
  settings.directory = directory.path;
  settings.transport = "two_sided";
  settings.timeout_s = 60.0;
  auto restart = Restart::open({MPI_COMM_WORLD, 1}, settings);
  const bool computes = world_rank() < world_size() - 1;
  MPI_Comm compute = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, computes ? 0 : MPI_UNDEFINED, world_rank(), &compute);
  std::string sentence;
  try {
    if (computes) {
      write_large_state(restart, compute);
    } else {
      const LittleMemory little(1);  // a chunk takes one, and two are needed
      restart.serve();
    }
  } catch (const Error& error) {
    sentence = error.what();
    CHECK(error.blame() == Blame::user);
  }
  CAPTURE(sentence);
  CHECK(sentence.find("memory ran out") != std::string::npos);
  if (compute != MPI_COMM_NULL) MPI_Comm_free(&compute);
}
