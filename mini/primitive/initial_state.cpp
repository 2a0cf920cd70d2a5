// SPDX-License-Identifier: Apache-2.0
// The formulas of the paper, and their values at the points of the local mesh.
#include "primitive/initial_state.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "constants.hpp"
#include "primitive/air.hpp"

namespace thalweg::mini {
namespace {

constexpr double largest_wind_m_s = 35.0;            // u_0
constexpr double jet_eta = 0.252;                    // eta_0: where the jet is
constexpr double tropopause_eta = 0.2;               // eta_t
constexpr double surface_temperature_K = 288;        // T_0
constexpr double lapse_rate_K_m = 0.005;             // Gamma
constexpr double stratosphere_K = 4.8e5;             // Delta T
constexpr double bump_m_s = 1.0, bump_radius = 0.1;  // u_p; R / a
constexpr double bump_longitude = pi / 9.0, bump_latitude = 2.0 * pi / 9.0;  // 20 E, 40 N

double eta_v(double eta) { return (eta - jet_eta) * pi / 2.0; }

/// The two terms in braces of the temperature (5) and the geopotential (7).
double wind_term(double latitude) {
  const double sine = std::sin(latitude), cosine = std::cos(latitude);
  return -2.0 * std::pow(sine, 6) * (cosine * cosine + 1.0 / 3.0) + 10.0 / 63.0;
}
double rotation_term(double latitude) {
  const double sine = std::sin(latitude), cosine = std::cos(latitude);
  return (8.0 / 5.0 * cosine * cosine * cosine * (sine * sine + 2.0 / 3.0) - pi / 4.0) *
         earth_radius_m * earth_rotation_rad_s;
}

double mean_temperature_K(double eta) {
  const double falling =
      surface_temperature_K * std::pow(eta, gas_constant_J_kg_K * lapse_rate_K_m / gravity_m_s2);
  if (eta >= tropopause_eta) return falling;
  return falling + stratosphere_K * std::pow(tropopause_eta - eta, 5);
}

}  // namespace

State Air::state(const Mesh& mesh, int levels) {
  constexpr int no_edge = 1;
  return State(mesh, levels,
               {{"velocity", "", "velocity along the edge", "m s-1", Place::edge, levels},
                {"surface_pressure", "surface_air_pressure", "pressure at the ground", "Pa",
                 Place::vertex, 1},
                {"theta_mass", "", "potential temperature times mass of the layer", "K kg m-2",
                 Place::vertex, levels}},
               no_edge);
}

double balanced_wind_m_s(double latitude, double eta) {
  const double sine = std::sin(2.0 * latitude);
  return largest_wind_m_s * std::pow(std::cos(eta_v(eta)), 1.5) * sine * sine;
}

double wind_perturbation_m_s(double longitude, double latitude) {
  const double cosine =
      std::sin(bump_latitude) * std::sin(latitude) +
      std::cos(bump_latitude) * std::cos(latitude) * std::cos(longitude - bump_longitude);
  const double distance = std::acos(std::clamp(cosine, -1.0, 1.0)) / bump_radius;
  return bump_m_s * std::exp(-distance * distance);
}

double balanced_temperature_K(double latitude, double eta) {
  const double cosine = std::cos(eta_v(eta));
  return mean_temperature_K(eta) +
         0.75 * eta * pi * largest_wind_m_s / gas_constant_J_kg_K * std::sin(eta_v(eta)) *
             std::sqrt(cosine) *
             (wind_term(latitude) * 2.0 * largest_wind_m_s * std::pow(cosine, 1.5) +
              rotation_term(latitude));
}

double surface_geopotential_m2_s2(double latitude) {
  const double wind_m_s = largest_wind_m_s * std::pow(std::cos(eta_v(1.0)), 1.5);
  return wind_m_s * (wind_term(latitude) * wind_m_s + rotation_term(latitude));
}

State baroclinic_state(const Mesh& mesh, const HybridLevels& levels, bool perturbed) {
  const int count = levels.levels();
  State state = Air::state(mesh, count);
  std::vector<double> eta;
  for (int l = 0; l < count; ++l) {
    eta.push_back(levels.mean_a[l] / reference_pressure_Pa + levels.mean_b[l]);
  }
  for (int v = 0; v < mesh.vertex.total(); ++v) {
    const double latitude = latitude_rad(mesh.vertex_position[v]);
    state[Air::surface_pressure][v] = reference_pressure_Pa;
    for (int l = 0; l < count; ++l) {
      const double mass =
          (levels.mass_a[l] + levels.mass_b[l] * reference_pressure_Pa) / gravity_m_s2;
      const double theta = balanced_temperature_K(latitude, eta[l]) * std::pow(eta[l], -kappa);
      state[Air::theta_mass][std::int64_t{v} * count + l] = mass * theta;
    }
  }
  for (int e = 0; e < mesh.edge.total(); ++e) {
    const Vec3 &centre = mesh.edge_centre[e], &t = mesh.edge_tangent[e];
    const double longitude = longitude_rad(centre), latitude = latitude_rad(centre);
    const double east = t.y * std::cos(longitude) - t.x * std::sin(longitude);
    const double bump = perturbed ? wind_perturbation_m_s(longitude, latitude) : 0.0;
    for (int l = 0; l < count; ++l) {
      state[Air::velocity][std::int64_t{e} * count + l] =
          (balanced_wind_m_s(latitude, eta[l]) + bump) * east;
    }
  }
  return state;
}

std::vector<double> ground_geopotential_m2_s2(const Mesh& mesh) {
  std::vector<double> values;
  for (int v = 0; v < mesh.vertex.total(); ++v) {
    values.push_back(surface_geopotential_m2_s2(latitude_rad(mesh.vertex_position[v])));
  }
  return values;
}

}  // namespace thalweg::mini
