// SPDX-License-Identifier: Apache-2.0
// Facts about the vertical coordinate: the published levels, and what any number of them keeps.
#include "primitive/hybrid_levels.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

using namespace thalweg::mini;

TEST_CASE("coefficients_of_26_levels_are_the_published_ones") {
  const HybridLevels levels(26);
  struct Published {
    int face_from_top;
    double a, b;
  };
  // CAM's hyai and hybi at a few faces.
  for (const auto& [face, a, b] :
       {Published{0, 0.002194067, 0.0}, Published{7, 0.07851243, 0.0},
        Published{8, 0.07731271, 0.01505309}, Published{14, 0.06410509, 0.1807720},
        Published{20, 0.02908949, 0.6201202}, Published{25, 0.0, 0.9851122},
        Published{26, 0.0, 1.0}}) {
    CHECK(levels.face_a[26 - face] / 1e5 == doctest::Approx(a).epsilon(1e-6));
    CHECK(levels.face_b[26 - face] == doctest::Approx(b).epsilon(1e-6));
  }
}

TEST_CASE("any_number_of_levels_fills_the_air_from_the_ground_to_the_same_top") {
  for (const int count : {2, 3, 10, 26, 30, 61, 200}) {
    const HybridLevels levels(count);
    REQUIRE(levels.levels() == count);
    CHECK(levels.face_a[count] == 219.4067);
    CHECK(levels.face_b[count] == 0.0);
    CHECK(levels.face_a[0] == 0.0);
    CHECK(levels.face_b[0] == 1.0);
    for (const double surface_Pa : {50000.0, 100000.0, 105000.0}) {
      double weight_Pa = 0.0;
      for (int l = 0; l < count; ++l) {
        const double layer_Pa = levels.mass_a[l] + levels.mass_b[l] * surface_Pa;
        CHECK(layer_Pa > 0.0);
        weight_Pa += layer_Pa;
      }
      CHECK(weight_Pa == doctest::Approx(surface_Pa - 219.4067).epsilon(1e-13));
    }
  }
}
