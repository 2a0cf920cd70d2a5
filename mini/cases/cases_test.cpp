// SPDX-License-Identifier: Apache-2.0
// Facts about the initial states: the figures their papers give.
#include "cases.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "constants.hpp"
#include "initial_state.hpp"
#include "thalweg/decomposition.hpp"
#include "thalweg/error.hpp"

using namespace thalweg;
using namespace thalweg::mini;

TEST_CASE("jet_has_a_mean_depth_of_10_km_and_80_m_s_at_45_degrees") {
  const Case jet = make_case("jet");
  double sum = 0.0;
  constexpr int bands = 20000;
  for (int i = 0; i < bands; ++i) {
    const double latitude = -0.5 * pi + pi * (i + 0.5) / bands;
    sum +=
        jet.surface_m(pi, latitude) * 0.5 * std::cos(latitude) * pi / bands;  // far from the bump
  }
  CHECK(sum == doctest::Approx(10000.0).epsilon(1e-7));
  CHECK(jet.eastward_wind_m_s(pi / 4.0) == doctest::Approx(80.0));
  CHECK(jet.eastward_wind_m_s(pi / 7.0) == 0.0);
  CHECK(jet.surface_m(0.0, pi / 4.0) - jet.surface_m(pi, pi / 4.0) ==
        doctest::Approx(120.0 * std::cos(pi / 4.0)).epsilon(1e-3));
}

TEST_CASE("surfaces_balance_their_winds") {
  for (const char* name : {"steady", "jet"}) {
    const Case setup = make_case(name);
    for (const double latitude : {-1.0, -0.3, 0.2, 0.6, 0.8, 1.1}) {
      const double small = 1e-4, wind = setup.eastward_wind_m_s(latitude);
      const double slope =
          (setup.surface_m(pi, latitude + small) - setup.surface_m(pi, latitude - small)) /
          (2.0 * small);
      const double needed =
          -earth_radius_m * wind *
          (2.0 * rotation_rad_s * std::sin(latitude) + std::tan(latitude) * wind / earth_radius_m) /
          gravity_m_s2;
      CHECK(slope == doctest::Approx(needed).epsilon(1e-4));
    }
  }
}

TEST_CASE("mountain_is_2000_m_high_at_30_north_90_west") {
  const Case mountain = make_case("mountain");
  CHECK(mountain.ground_m(-0.5 * pi, pi / 6.0) == doctest::Approx(2000.0));
  CHECK(mountain.ground_m(-0.5 * pi, pi / 6.0 + pi / 18.0) == doctest::Approx(1000.0));
  CHECK(mountain.ground_m(0.5 * pi, pi / 6.0) == 0.0);
}

TEST_CASE("layers_deepen_linearly_by_the_depth_spread") {
  const Mesh mesh = build_mesh(Decomposition(Grid::parse("R2B0"), 1, "curve"), 0, 1);
  const State state = initial_state(mesh, make_jet(), 5, 0.2, 1);
  for (int l = 0; l < 5; ++l) {
    CHECK(state[Layers::thickness][l] - state[Layers::thickness][0] ==
          doctest::Approx(2000.0 * l / 4.0));
  }
}

TEST_CASE("unknown_case_is_refused_with_a_proposal") {
  CHECK_THROWS_WITH_AS(make_case("jett"), doctest::Contains("Did you mean 'jet'?"), Error);
}
