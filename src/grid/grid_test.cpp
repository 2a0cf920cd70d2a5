// SPDX-License-Identifier: Apache-2.0
// Facts about grid names and sizes.
#include "thalweg/grid.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "thalweg/error.hpp"

using thalweg::Error;
using thalweg::Grid;

TEST_CASE("sizes_are_those_of_icon") {
  CHECK(Grid::parse("R2B4").cells() == 20480);
  CHECK(Grid::parse("R2B5").cells() == 81920);
  CHECK(Grid::parse("R2B6").cells() == 327680);
  CHECK(Grid::parse("R2B7").cells() == 1310720);
  CHECK(Grid::parse("R2B9").cells() == 20971520);
  CHECK(Grid::parse("R2B11").cells() == 335544320);
  CHECK(Grid::parse("R3B7").cells() == 2949120);
  CHECK(Grid::parse("R2B4").edges() == 30720);
  CHECK(Grid::parse("R2B4").vertices() == 10242);
}

TEST_CASE("every_grid_obeys_euler") {
  for (const char* name : {"R1B0", "R2B3", "R3B1", "R5B2", "R7B0", "R2B11"}) {
    const Grid grid = Grid::parse(name);
    CHECK(grid.vertices() - grid.edges() + grid.cells() == 2);
    CHECK(grid.size(thalweg::Place::edge) == 30LL * grid.n * grid.n * (1LL << (2 * grid.k)));
  }
}

TEST_CASE("mean_resolution_is_158_km_for_R2B4_79_for_R2B5_and_5_for_R2B9") {
  CHECK(std::lround(Grid::parse("R2B4").mean_resolution_m() / 1000.0) == 158);
  CHECK(std::lround(Grid::parse("R2B5").mean_resolution_m() / 1000.0) == 79);
  CHECK(std::lround(Grid::parse("R2B9").mean_resolution_m() / 1000.0) == 5);
}

TEST_CASE("icons_zeros_in_a_name_are_dropped") {
  CHECK(Grid::parse("R02B04").name() == "R2B4");
  CHECK(Grid::parse("R19B7").name() == "R19B7");
}

TEST_CASE("a_bad_name_throws_one_sentence_that_quotes_it") {
  for (const char* name : {"", "X", "R2B", "R0B4", "R2B40", "R2B99", "r2b4", "RB4", "R2B-1",
                           "R2B4x", "R2B4 ", "R100B0", "R2B004", "R 2B4", "R99B8"}) {
    CAPTURE(name);
    try {
      Grid::parse(name);
      FAIL("was accepted");
    } catch (const Error& error) {
      const std::string sentence = error.what();
      CHECK(error.exit_code() == 2);
      CHECK(sentence.find("'" + std::string(name) + "'") != std::string::npos);
      CHECK(sentence.find('\n') == std::string::npos);
      CHECK(sentence.ends_with('.'));
    }
  }
}

TEST_CASE("longitudes_lie_in_minus_pi_to_pi_and_the_poles_have_latitude_half_pi") {
  using std::numbers::pi;
  CHECK(thalweg::longitude_rad({-1.0, -0.0, 0.0}) == pi);
  CHECK(thalweg::longitude_rad({0.0, -1.0, 0.0}) == doctest::Approx(-pi / 2));
  CHECK(thalweg::latitude_rad({0.0, 0.0, 1.0}) == doctest::Approx(pi / 2));
  CHECK(thalweg::latitude_rad({0.6, 0.0, -0.8}) == doctest::Approx(std::asin(-0.8)));
}

TEST_CASE("a_grid_has_a_uuid_of_its_own_that_stays") {
  const auto uuid = Grid::parse("R2B4").uuid();
  CHECK(uuid.size() == 36);
  CHECK(uuid[14] == '8');
  CHECK(std::string("89ab").find(uuid[19]) != std::string::npos);
  CHECK(Grid::parse("R02B04").uuid() == uuid);
  CHECK(Grid::parse("R2B5").uuid() != uuid);
  CHECK(Grid::parse("R2B3").uuid() != uuid);
}
