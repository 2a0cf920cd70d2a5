// SPDX-License-Identifier: Apache-2.0
// Williamson et al. 1992, case 2: solid-body rotation in geostrophic balance; nothing may change.
#include <cmath>

#include "cases.hpp"
#include "constants.hpp"
#include "thalweg/grid.hpp"

namespace thalweg::mini {

// u = u0 cos(lat);  g h = g h0 - (a Omega u0 + u0^2 / 2) sin^2(lat)     (eqs. 90-95, alpha = 0)
Case make_steady() {
  const double wind = 2.0 * pi * earth_radius_m / (12.0 * seconds_per_day);  // u0, m s-1
  const double depth_m = 2.94e4 / gravity_m_s2;                              // h0
  Case steady;
  steady.mean_depth_m = depth_m;
  steady.max_wind_m_s = wind;
  steady.eastward_wind_m_s = [wind](double latitude) { return wind * std::cos(latitude); };
  steady.surface_m = [wind, depth_m](double, double latitude) {
    const double sine = std::sin(latitude);
    const double drop = earth_radius_m * rotation_rad_s * wind + 0.5 * wind * wind;  // m2 s-2
    return depth_m - drop * sine * sine / gravity_m_s2;
  };
  steady.ground_m = [](double, double) { return 0.0; };
  return steady;
}

}  // namespace thalweg::mini
