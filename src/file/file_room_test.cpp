// SPDX-License-Identifier: Apache-2.0
// Facts about room in a file that a team extends, on 1 to 4 ranks.
#include "file/file_room.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

using namespace thalweg;

TEST_CASE("room_for_one_rank_is_whole_pages_one_after_the_other") {
  OwnRoom room;
  room.begin_at(1);
  CHECK(room.take(1) == 4096);
  CHECK(room.take(4096) == 8192);
  CHECK(room.take(4097) == 12288);
  CHECK(room.take(1) == 20480);
}

TEST_CASE("ranks_of_a_team_get_room_of_their_own_without_gaps_file_after_file") {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const auto room = make_team_room(MPI_COMM_WORLD);
  REQUIRE(room);
  constexpr int takes = 200;
  for (const std::uint64_t end : {5000U, 100U}) {
    if (rank == 0) room->begin_at(end);
    MPI_Barrier(MPI_COMM_WORLD);
    std::mt19937 random(static_cast<unsigned>(rank));
    std::vector<std::uint64_t> mine;  // begin, end of each piece
    for (int i = 0; i < takes; ++i) {
      const std::uint64_t bytes = 1 + random() % 20000;
      const auto begin = room->take(bytes);
      mine.insert(mine.end(), {begin, begin + whole_pages(bytes)});
    }
    std::vector<std::uint64_t> all(mine.size() * ranks);
    MPI_Gather(mine.data(), 2 * takes, MPI_UINT64_T, all.data(), 2 * takes, MPI_UINT64_T, 0,
               MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != 0) continue;
    std::sort(all.begin(), all.end());  // each end is the next begin
    CHECK(all.front() == whole_pages(end));
    for (std::size_t i = 1; i + 1 < all.size(); i += 2) REQUIRE(all[i] == all[i + 1]);
    CHECK(room->take(1) == all.back());
  }
}
