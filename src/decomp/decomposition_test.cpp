// SPDX-License-Identifier: Apache-2.0
// Facts about dealing cells to parts.
#include "thalweg/decomposition.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "thalweg/error.hpp"

using namespace thalweg;

TEST_CASE("every_cell_belongs_to_exactly_one_part_of_both_kinds") {
  for (const char* name : {"R1B0", "R2B2", "R3B2"})
    for (const std::string& kind : Decomposition::kinds())
      for (const int parts : {1, 2, 3, 4, 7, 19, 64}) {
        CAPTURE(name);
        CAPTURE(kind);
        CAPTURE(parts);
        const Grid grid = Grid::parse(name);
        const Decomposition decomposition(grid, parts, kind);
        std::vector<int> times_covered(grid.cells(), 0);
        int wrong_part = 0, unmerged = 0;
        for (int part = 0; part < parts; ++part) {
          std::int64_t last_end = -1;
          for (const CellRange& range : decomposition.cells_of(part)) {
            unmerged += range.begin <= last_end || range.end <= range.begin;
            last_end = range.end;
            for (std::int64_t cell = range.begin; cell < range.end; ++cell) {
              ++times_covered[cell];
              wrong_part += decomposition.part_of(cell) != part;
            }
          }
        }
        CHECK(wrong_part == 0);
        CHECK(unmerged == 0);
        CHECK(
            std::all_of(times_covered.begin(), times_covered.end(), [](int n) { return n == 1; }));
      }
}

TEST_CASE("parts_are_balanced_within_three_per_cent_also_where_blocks_are_dealt") {
  for (const char* name : {"R2B4", "R2B7", "R3B7"})
    for (const std::string& kind : Decomposition::kinds())
      for (const int parts : {2, 3, 5, 8, 96}) {
        CAPTURE(name);
        CAPTURE(kind);
        CAPTURE(parts);
        const Grid grid = Grid::parse(name);
        const Decomposition decomposition(grid, parts, kind);
        const double fair = static_cast<double>(grid.cells()) / parts;
        for (int part = 0; part < parts; ++part) {
          std::int64_t cells = 0;
          for (const CellRange& range : decomposition.cells_of(part))
            cells += range.end - range.begin;
          CHECK(static_cast<double>(cells) == doctest::Approx(fair).epsilon(0.03));
        }
      }
}

TEST_CASE("parts_are_empty_only_when_there_are_more_parts_than_cells") {
  const Grid grid = Grid::parse("R1B0");
  for (const std::string& kind : Decomposition::kinds()) {
    const Decomposition exact(grid, 20, kind), crowded(grid, 33, kind);
    for (int part = 0; part < 20; ++part) CHECK(exact.cells_of(part).size() == 1);
    int cells = 0;
    for (int part = 0; part < 33; ++part) cells += static_cast<int>(crowded.cells_of(part).size());
    CHECK(cells == 20);
  }
}

TEST_CASE("bisection_scatters_a_part_over_the_curve_and_curve_does_not") {
  const Grid grid = Grid::parse("R2B4");
  const Decomposition scattered(grid, 4, "bisection"), contiguous(grid, 4, "curve");
  for (int part = 0; part < 4; ++part) {
    CHECK(scattered.cells_of(part).size() > 10);
    CHECK(contiguous.cells_of(part).size() == 1);
  }
}

TEST_CASE("an_unknown_kind_is_the_users_error_with_a_proposal") {
  CHECK_THROWS_WITH_AS(Decomposition(Grid{}, 2, "bisecton"),
                       "decomposition 'bisecton' does not exist; choose one of: curve, bisection. "
                       "Did you mean 'bisection'?",
                       Error);
  CHECK_THROWS_AS(Decomposition(Grid{}, 0, "curve"), Error);
}
