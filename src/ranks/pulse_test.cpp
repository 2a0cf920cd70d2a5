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
  if (world_size() == 1) return;
  const Team team;
  Pulse pulse(team.comm, tag, [](int rank) { return fmt::format("tester {}", rank); });
  if (world_rank() == 0) for_seconds(2.0 * limit_s, [] { note_work(); });
  CHECK_NOTHROW(come_together(team.comm, "rank 0 to end its work"));
}

namespace {

/// Rank 0 answers nobody until all others have given up. Whether nobody but it was named silent, of
/// those that gave up no earlier: who did has fallen silent, too.
bool only_rank_0_is_named() {
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
  std::vector<double> ends_s(world_size());
  MPI_Allgather(&ended_s, 1, MPI_DOUBLE, ends_s.data(), 1, MPI_DOUBLE, MPI_COMM_WORLD);
  int only = 1;
  for (int rank = 1; rank < world_size() && world_rank() != 0; ++rank) {
    const bool named = sentence.find(fmt::format("tester {}", rank)) != std::string::npos;
    if (named && ends_s[rank] >= ended_s) only = 0;
  }
  if (world_rank() == 0) MPI_Ibarrier(team.comm, &all_here);
  MPI_Wait(&all_here, MPI_STATUS_IGNORE);
  MPI_Allreduce(MPI_IN_PLACE, &only, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  return only != 0;
}

}  // namespace

TEST_CASE("a_rank_that_is_silent_is_named_and_those_that_wait_are_not") {
  // Where many share a core, a rank may get none of it for as long as the limit: then it is silent.
  constexpr int attempts = 5;
  bool only = false;
  for (int i = 0; i < attempts && !only; ++i) only = only_rank_0_is_named();
  CHECK(only);
}
