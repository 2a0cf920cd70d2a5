// SPDX-License-Identifier: Apache-2.0
// A second output beside one that is served: refused at once by every rank that asks for it, for
// those that serve would never come.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "all_ranks.hpp"
#include "thalweg.h"
#include "thalweg/error.hpp"
#include "thalweg/output.hpp"
#include "thalweg/restart.hpp"

using namespace thalweg;

namespace {

constexpr double short_wait_s = 5.0;  // of who waits for a rank that does not come
constexpr const char* alone = "an output with I/O or restart ranks must be the only one";

OutputSettings settings_in(const SharedDirectory& directory) {
  OutputSettings settings;
  settings.mode = "serial";
  settings.directory = directory.path;
  settings.timeout_s = short_wait_s;
  return settings;
}

std::string refusal(const OutputSettings& settings) {
  try {
    Output::open(MPI_COMM_WORLD, settings);
  } catch (const Error& error) {
    CHECK(error.blame() == Blame::user);
    return error.what();
  }
  return "";
}

void write_a_point(Output& output) {
  const bool mine = rank_of(output.compute_comm()) == 0;
  const std::vector<std::int64_t> points(mine ? 1 : 0, 0);
  output.define(std::vector<OwnedPoints>{{Place::cell, 1, points}});
  output.end_definition();
}

}  // namespace

TEST_CASE("a_second_output_is_refused_at_once_while_ranks_serve_the_first") {
  if (world_size() < 2) return;
  const SharedDirectory directory;
  auto served = settings_in(directory);
  served.mode = "async";
  served.io_ranks = 1;
  auto first = Output::open(MPI_COMM_WORLD, served);
  if (first.is_compute_rank()) {
    write_a_point(first);  // from here on the I/O rank serves
    for (const auto& second : {served, settings_in(directory)}) {
      const auto said = refusal(second);
      INFO(said);
      CHECK(said.find(alone) != std::string::npos);
    }
    thalweg_output* third = nullptr;
    CHECK(thalweg_open(MPI_COMM_WORLD, "[io]\nmode = \"serial\"\ntimeout = 5\n",
                       directory.path.c_str(), &third) == THALWEG_WRONG);
    const std::string said = thalweg_last_error();
    INFO(said);
    CHECK(said.find(alone) != std::string::npos);
    CHECK_NOTHROW(first.close());  // nothing became of the first
  } else {
    CHECK_NOTHROW(first.serve());
  }
  MPI_Barrier(MPI_COMM_WORLD);
  auto later = Output::open(MPI_COMM_WORLD, settings_in(directory));
  write_a_point(later);
  CHECK_NOTHROW(later.close());
}

TEST_CASE("restart_ranks_too_refuse_a_second_output_until_they_have_served") {
  if (world_size() < 2) return;
  const SharedDirectory directory;
  auto served = settings_in(directory);
  served.restart_ranks = 1;
  RestartSettings checkpoints;
  checkpoints.mode = "async";
  checkpoints.directory = directory.path + "/restart";
  checkpoints.timeout_s = short_wait_s;
  auto first = Output::open(MPI_COMM_WORLD, served);
  const auto said = refusal(settings_in(directory));  // on all ranks, none of which serves yet
  INFO(said);
  CHECK(said.find(alone) != std::string::npos);
  auto restart = Restart::open(first, checkpoints);
  if (first.is_compute_rank()) {
    write_a_point(first);
    close_both(first, &restart);
  } else {
    restart.serve();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  auto later = Output::open(MPI_COMM_WORLD, settings_in(directory));
  write_a_point(later);
  CHECK_NOTHROW(later.close());
}

TEST_CASE("a_restart_rank_that_closes_without_having_served_is_told_so") {
  if (world_size() < 2) return;
  const SharedDirectory directory;
  auto settings = settings_in(directory);
  settings.restart_ranks = 1;
  RestartSettings checkpoints;
  checkpoints.mode = "async";
  checkpoints.directory = directory.path + "/restart";
  checkpoints.timeout_s = short_wait_s;
  auto output = Output::open(MPI_COMM_WORLD, settings);
  auto restart = Restart::open(output, checkpoints);
  if (output.is_compute_rank()) {
    write_a_point(output);
    CHECK_NOTHROW(output.close());
  } else {
    CHECK_THROWS_WITH_AS(output.close(),
                         "a restart rank closed the output without having served its restart",
                         Error);
    CHECK_NOTHROW(output.close());
  }
  restart.leave();
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST_CASE("who_serves_a_second_time_is_answered_at_once") {
  if (world_size() < 2) return;
  for (const bool checkpoints : {false, true}) {
    const SharedDirectory directory;
    const std::string settings =
        checkpoints ? "[io]\nmode = \"serial\"\n[restart]\nmode = \"async\"\nranks = 1"
                    : "[io]\nmode = \"async\"\nranks = 1";
    thalweg_output* output = nullptr;
    REQUIRE(thalweg_open(MPI_COMM_WORLD, settings.c_str(), directory.path.c_str(), &output) ==
            THALWEG_OK);
    if (thalweg_role(output) != THALWEG_COMPUTE) {
      CHECK(thalweg_serve(output) == THALWEG_OK);
      CHECK(thalweg_serve(output) == THALWEG_WRONG);
      CHECK(std::string(thalweg_last_error()).find("has served already") != std::string::npos);
    }
    thalweg_close(&output);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

TEST_CASE("outputs_with_states_in_one_directory_do_not_replace_each_others_checkpoints") {
  const SharedDirectory directory;
  const std::vector<std::int64_t> cells{2 * world_rank(), 2 * world_rank() + 1};
  std::vector<double> values{1.0, 2.0};
  thalweg_view view{};
  view.values = values.data();
  view.point_stride = 1;
  const auto open = [&](bool has_state) {
    thalweg_output* output = nullptr;
    REQUIRE(thalweg_open(MPI_COMM_WORLD, "[io]\nmode = \"serial\"\n[restart]\nmode = \"sync\"",
                         directory.path.c_str(), &output) == THALWEG_OK);
    REQUIRE(thalweg_define_points(output, "cell", 2 * world_size(), 2, cells.data(), nullptr) ==
            THALWEG_OK);
    thalweg_field field{};
    field.name = "x";
    field.place = "cell";
    field.levels = 1;
    if (has_state) REQUIRE(thalweg_define_state(output, &field) == THALWEG_OK);
    return output;
  };
  auto* first = open(true);
  REQUIRE(thalweg_end_definition(first) == THALWEG_OK);
  auto* second = open(true);
  CHECK(thalweg_end_definition(second) == THALWEG_WRONG);
  const std::string said = thalweg_last_error();
  INFO(said);
  CHECK(said.find("another output writes checkpoints into") != std::string::npos);
  thalweg_close(&second);
  auto* third = open(false);
  CHECK(thalweg_end_definition(third) == THALWEG_OK);
  CHECK(thalweg_write_state(first, 10.0, &view, 1) == THALWEG_OK);
  CHECK(thalweg_close(&third) == THALWEG_OK);
  CHECK(thalweg_close(&first) == THALWEG_OK);
  auto* later = open(true);
  CHECK(thalweg_end_definition(later) == THALWEG_OK);
  CHECK(thalweg_close(&later) == THALWEG_OK);
}
