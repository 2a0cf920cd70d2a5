// SPDX-License-Identifier: Apache-2.0
// Williamson et al. 1992, case 5: zonal flow that meets an isolated conical mountain.
#include <algorithm>
#include <cmath>

#include "cases.hpp"
#include "constants.hpp"
#include "thalweg/grid.hpp"

namespace thalweg::mini {
namespace {

constexpr double wind = 20.0;        // u0, m s-1
constexpr double depth_m = 5960.0;   // h0
constexpr double peak_m = 2000.0;    // of the mountain
constexpr double radius = pi / 9.0;  // of the mountain, radians

}  // namespace

// As case 2 with h0 = 5960 m, u0 = 20 m/s; a cone of 2000 m and radius pi/9 at (3 pi/2, pi/6).
Case make_mountain() {
  Case mountain;
  mountain.mean_depth_m = depth_m;
  mountain.max_wind_m_s = 2.0 * wind;  // the lee wave about doubles the wind
  mountain.eastward_wind_m_s = [](double latitude) { return wind * std::cos(latitude); };
  mountain.surface_m = [](double, double latitude) {
    const double sine = std::sin(latitude);
    const double drop = earth_radius_m * rotation_rad_s * wind + 0.5 * wind * wind;  // m2 s-2
    return depth_m - drop * sine * sine / gravity_m_s2;
  };
  mountain.ground_m = [](double longitude, double latitude) {
    const double east = longitude + 0.5 * pi;  // 3 pi/2 is -pi/2 here: longitudes lie in (-pi, pi]
    const double east_wrapped = east > pi ? east - 2.0 * pi : east;
    const double north = latitude - pi / 6.0;
    const double distance = std::sqrt(east_wrapped * east_wrapped + north * north);
    return peak_m * (1.0 - std::min(distance, radius) / radius);
  };
  return mountain;
}

}  // namespace thalweg::mini
