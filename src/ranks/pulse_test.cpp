// SPDX-License-Identifier: Apache-2.0
// A rank that works is waited for as long as it works; one that is silent is named.
#include "ranks/pulse.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "all_ranks.hpp"
#include "ranks/agreement.hpp"
#include "thalweg/error.hpp"
#include "thalweg/wait.hpp"

using namespace thalweg;

namespace {

constexpr int tag = 77;
constexpr double limit_s = 1.5;

/// A private communicator, and a time limit for a while.
struct Team {
  MPI_Comm comm = MPI_COMM_NULL;
  Team() {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    set_wait_timeout(limit_s);
  }
  ~Team() {
    set_wait_timeout(600.0);
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
  }
};

template <class Act>
void for_seconds(double seconds, const Act& act) {
  for (const double begin_s = wait_clock_s(); wait_clock_s() < begin_s + seconds;) act();
}

}  // namespace

TEST_CASE("a_rank_that_works_is_waited_for_longer_than_the_limit") {
  const Team team;
  Pulse pulse(team.comm, tag, [](int rank) { return fmt::format("tester {}", rank); });
  if (world_rank() == 0) for_seconds(2.0 * limit_s, [] { note_work(); });
  CHECK_NOTHROW(come_together(team.comm, "rank 0 to end its work"));
}

TEST_CASE("a_rank_that_is_silent_is_named_and_those_that_wait_are_not") {
  const Team team;
  Pulse pulse(team.comm, tag, [](int rank) { return fmt::format("tester {}", rank); });
  MPI_Request all_here = MPI_REQUEST_NULL;
  std::string sentence;
  double ended_s = 0.0;
  if (world_rank() != 0) {
    MPI_Ibarrier(team.comm, &all_here);
    try {
      wait_for(all_here, "all ranks");
    } catch (const Error& error) {
      sentence = error.what();
    }
    ended_s = MPI_Wtime();
    CAPTURE(sentence);
    CHECK(sentence.find("waiting for all ranks: nothing moved for 1.5 s and nothing was") == 0);
    CHECK(sentence.find("tester 0") != std::string::npos);
  }
  // Rank 0 waits here, and answers nobody. Who gave up before this rank did has fallen silent, too.
  std::vector<double> ends_s(world_size());
  MPI_Allgather(&ended_s, 1, MPI_DOUBLE, ends_s.data(), 1, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int rank = 1; rank < world_size() && world_rank() != 0; ++rank) {
    CAPTURE(sentence);
    if (ends_s[rank] >= ended_s)
      CHECK(sentence.find(fmt::format("tester {}", rank)) == std::string::npos);
  }
  if (world_rank() == 0) MPI_Ibarrier(team.comm, &all_here);
  MPI_Wait(&all_here, MPI_STATUS_IGNORE);
}
