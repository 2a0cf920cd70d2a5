// SPDX-License-Identifier: Apache-2.0
// The test cases: what the atmosphere looks like at the start, as functions of longitude and
// latitude.
#pragma once

#include <functional>
#include <string_view>

namespace thalweg::mini {

/// A shallow-water case whose initial wind is zonal and depends on latitude only. Angles in
/// radians.
struct Case {
  double mean_depth_m;  ///< what [model] depth_spread is a fraction of
  double max_wind_m_s;  ///< for the time step
  std::function<double(double latitude)> eastward_wind_m_s;
  std::function<double(double longitude, double latitude)>
      surface_m;  ///< height of the surface, h + b
  std::function<double(double longitude, double latitude)> ground_m;  ///< b
};

/// Makes the case of [model] case. Throws Error(user) on an unknown name.
Case make_case(std::string_view name);

Case make_steady();    ///< Williamson et al. 1992, case 2: steady zonal flow
Case make_mountain();  ///< Williamson et al. 1992, case 5: zonal flow over an isolated mountain
Case make_jet();       ///< Galewsky, Scott & Polvani 2004: barotropic instability of a jet

}  // namespace thalweg::mini
