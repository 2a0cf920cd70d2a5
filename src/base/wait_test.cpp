// SPDX-License-Identifier: Apache-2.0
// Facts about waiting on other ranks: it ends when ready, and never lasts for ever.
#include "thalweg/wait.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>

#include "thalweg/error.hpp"

using namespace thalweg;

TEST_CASE("wait_until_calls_until_ready_and_no_further") {
  for (const double nap_s : {0.0, 1e-4}) {
    int calls = 0;
    wait_until([&] { return ++calls == 500; }, "the test", nap_s);
    CHECK(calls == 500);
  }
}

TEST_CASE("wait_until_gives_up_and_names_what_it_waited_for") {
  set_wait_timeout(0.01);
  for (const double nap_s : {0.0, 1e-3}) {
    try {
      wait_until([] { return false; }, "I/O rank 5", nap_s);
      FAIL("the wait must not end");
    } catch (const Error& error) {
      CHECK(error.blame() == Blame::bug);
      CHECK(std::string(error.what()).find("waiting for I/O rank 5: nothing moved for 0.01 s") ==
            0);
    }
  }
  set_wait_timeout(600.0);
}

TEST_CASE("wait_all_completes_messages_round_a_ring") {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  int received = -1;
  std::array<MPI_Request, 2> requests{};
  MPI_Irecv(&received, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&rank, 1, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[1]);
  wait_all(requests, "the ring");
  CHECK(received == left);
  CHECK(requests[0] == MPI_REQUEST_NULL);
}

TEST_CASE("wait_all_gives_up_on_a_message_nobody_sends") {
  int never = 0;
  std::array<MPI_Request, 1> requests{};
  MPI_Irecv(&never, 1, MPI_INT, MPI_ANY_SOURCE, 32000, MPI_COMM_WORLD, requests.data());
  set_wait_timeout(0.01);
  CHECK_THROWS_AS(wait_all(requests, "a message"), Error);
  set_wait_timeout(600.0);
  MPI_Cancel(requests.data());
  MPI_Wait(requests.data(), MPI_STATUS_IGNORE);
}

TEST_CASE("a_wait_lasts_as_long_as_something_moves") {
  set_wait_timeout(0.02);
  int looks = 0;
  wait_until([&] { return note_progress(), ++looks > 2000; }, "work that goes on", 1e-4);
  CHECK(looks > 2000);
  set_wait_timeout(600.0);
}
