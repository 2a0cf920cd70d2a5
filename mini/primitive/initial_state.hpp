// SPDX-License-Identifier: Apache-2.0
// The baroclinic wave of Jablonowski & Williamson 2006 (Q. J. R. Meteorol. Soc. 132, 2943-2975):
// a steady flow in balance, and a weak bump in its wind that grows.
#pragma once

#include <vector>

#include "primitive/hybrid_levels.hpp"
#include "state.hpp"
#include "thalweg/grid.hpp"

namespace thalweg::mini {

/// The fields of the primitive equations.
struct Air {
  enum Field : std::size_t {
    velocity,          ///< [edges][levels] m s-1, along t_e
    surface_pressure,  ///< [vertices] Pa
    theta_mass         ///< [vertices][levels] K kg m-2: potential temperature times layer mass
  };
  /// With room for the edge that Hexagons adds.
  static State state(const Mesh& mesh, int levels);
};

/// Pressure over that of the ground, eta, is the vertical coordinate of the paper; angles in
/// radians.
double balanced_wind_m_s(double latitude, double eta);            ///< eq. (2), eastward
double wind_perturbation_m_s(double longitude, double latitude);  ///< eq. (10), eastward
double balanced_temperature_K(double latitude, double eta);       ///< eqs. (4) to (6)
double surface_geopotential_m2_s2(double latitude);               ///< eq. (7) on the ground

/// On all local points, halo included; p_s = 1000 hPa.
State baroclinic_state(const Mesh& mesh, const HybridLevels& levels, bool perturbed);
/// [vertices] m2 s-2.
std::vector<double> ground_geopotential_m2_s2(const Mesh& mesh);

}  // namespace thalweg::mini
