// SPDX-License-Identifier: Apache-2.0
// Facts about the primitive equations: the balance of their initial state, and what a step keeps.
#include "primitive/primitive_dynamics.hpp"

#include <doctest/doctest.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <random>

#include "constants.hpp"
#include "model_kernels.hpp"
#include "primitive/air.hpp"
#include "thalweg/decomposition.hpp"

using namespace thalweg;
using namespace thalweg::mini;

namespace {

/// The slope of the geopotential that balances the wind, m2 s-2 per radian.
double balanced_slope(double latitude, double eta) {
  const double wind = balanced_wind_m_s(latitude, eta);
  return -wind * (2.0 * earth_rotation_rad_s * earth_radius_m * std::sin(latitude) +
                  wind * std::tan(latitude));
}

/// A small model on one rank.
struct SmallAir {
  SmallAir(double hyperdiffusion, bool perturbed, const char* grid = "R2B1", int level_count = 5)
      : mesh(build_mesh(Decomposition(Grid::parse(grid), 1, "curve"), 0, 1)),
        stencils(mesh),
        hexagons(mesh, stencils),
        levels(level_count),
        ground(ground_geopotential_m2_s2(mesh)),
        state(baroclinic_state(mesh, levels, perturbed)),
        unused(state),
        dynamics(hexagons, levels, ground, hyperdiffusion),
        halo(MPI_COMM_SELF, mesh),
        scheme(find_scheme("rk4"), state) {}
  void steps(int count, double step_s) {
    for (int step = 0; step < count; ++step) scheme.step(state, dynamics, halo, step_s, [] {});
  }
  double total(Air::Field field) const {
    const int count = state.fields[field].info.levels;
    double sum = 0.0;
    for (int v = 0; v < mesh.vertex.owned; ++v) {
      for (int l = 0; l < count; ++l) sum += mesh.vertex_area_m2[v] * state[field][v * count + l];
    }
    return sum;
  }
  /// Kinetic energy, and all of it with enthalpy and the weight on the ground, J.
  std::array<double, 2> energy() {
    dynamics.tendency(state, unused);
    const int count = state.levels;
    std::vector<double> kinetic(Extent(mesh.vertex.total(), count).values());
    kinetic_energy({.edges = mesh.edge.total(),
                    .vertices = mesh.vertex.total(),
                    .levels = count,
                    .vertex_edges = rows(stencils.vertex_edges),
                    .velocity = state[Air::velocity].data(),
                    .kinetic_weight = rows(stencils.kinetic_weight),
                    .energy = kinetic.data()});
    std::array<double, 2> sum{};
    for (int v = 0; v < mesh.vertex.owned; ++v) {
      double moving = 0.0, rest = ground[v] * state[Air::surface_pressure][v] / gravity_m_s2;
      for (int i = v * count; i < (v + 1) * count; ++i) {
        moving += dynamics.mass()[i] * kinetic[i];
        rest += dynamics.mass()[i] * dynamics.theta()[i] * dynamics.exner()[i];
      }
      sum[0] += mesh.vertex_area_m2[v] * moving;
      sum[1] += mesh.vertex_area_m2[v] * (moving + rest);
    }
    return sum;
  }

  Mesh mesh;
  Stencils stencils;
  Hexagons hexagons;
  HybridLevels levels;
  std::vector<double> ground;
  State state, unused;
  PrimitiveDynamics dynamics;
  HaloExchange halo;
  RungeKutta scheme;
};

}  // namespace

TEST_CASE("wind_temperature_and_ground_of_the_baroclinic_wave_balance_each_other") {
  CHECK(balanced_wind_m_s(pi / 4.0, 0.252) == doctest::Approx(35.0));
  CHECK(wind_perturbation_m_s(pi / 9.0, 2.0 * pi / 9.0) == doctest::Approx(1.0));
  CHECK(wind_perturbation_m_s(pi / 9.0, 2.0 * pi / 9.0 + 0.1) == doctest::Approx(std::exp(-1.0)));
  constexpr double small = 1e-4;
  for (const double latitude : {-1.1, -0.4, 0.2, 0.7, 1.3}) {
    const double slope = (surface_geopotential_m2_s2(latitude + small) -
                          surface_geopotential_m2_s2(latitude - small)) /
                         (2.0 * small);
    CHECK(slope == doctest::Approx(balanced_slope(latitude, 1.0)).epsilon(1e-5));
    for (const double eta : {0.05, 0.3, 0.6, 0.95}) {  // thermal wind: dPhi / d ln eta = -R T
      const double warming = (balanced_temperature_K(latitude + small, eta) -
                              balanced_temperature_K(latitude - small, eta)) /
                             (2.0 * small);
      const double shear = (balanced_slope(latitude, eta * (1.0 + small)) -
                            balanced_slope(latitude, eta * (1.0 - small))) /
                           (2.0 * small);
      CHECK(-gas_constant_J_kg_K * warming == doctest::Approx(shear).epsilon(1e-4));
    }
  }
}

TEST_CASE("mass_is_kept_to_rounding_and_so_is_potential_temperature_with_hyperdiffusion") {
  SmallAir air(1.0, true);
  const double mass = air.total(Air::surface_pressure), theta = air.total(Air::theta_mass);
  const auto before = air.state[Air::surface_pressure];
  air.steps(12, 1200.0);
  CHECK(std::abs(air.total(Air::surface_pressure) / mass - 1.0) < 1e-14);
  CHECK(std::abs(air.total(Air::theta_mass) / theta - 1.0) < 1e-13);
  double moved_Pa = 0.0;
  for (std::size_t v = 0; v < before.size(); ++v) {
    moved_Pa = std::max(moved_Pa, std::abs(air.state[Air::surface_pressure][v] - before[v]));
  }
  CHECK(moved_Pa > 50.0);
}

TEST_CASE("a_constant_potential_temperature_stays_constant") {
  SmallAir air(1.0, true);
  air.dynamics.tendency(air.state, air.unused);
  for (std::size_t i = 0; i < air.state[Air::theta_mass].size(); ++i) {
    air.state[Air::theta_mass][i] = 300.0 * air.dynamics.mass()[i];
  }
  air.steps(3, 600.0);
  air.dynamics.tendency(air.state, air.unused);
  for (const double theta : air.dynamics.theta()) {
    CHECK(theta == doctest::Approx(300.0).epsilon(1e-12));
  }
}

TEST_CASE("energy_without_hyperdiffusion_drifts_by_the_error_of_vertical_differences_alone") {
  // Fluxes from layer to layer take the mean of two potential temperatures with them: of second
  // order in the thickness of layers. Horizontal terms do no work, and RK4 loses less.
  std::array<double, 2> drift;
  for (int i = 0; i < 2; ++i) {
    SmallAir air(0.0, true, "R2B1", 10 << i);
    const double before = air.energy()[1];
    air.steps(12, 600.0);
    drift[i] = std::abs(air.energy()[1] / before - 1.0);
  }
  MESSAGE("drift of 10 levels " << drift[0] << ", of 20 " << drift[1]);
  CHECK(drift[0] < 1e-7);
  CHECK(drift[1] < drift[0] / 2.0);
}

TEST_CASE("hyperdiffusion_takes_grid_scale_noise_away_and_leaves_the_jet") {
  SmallAir with(1.0, false), without(0.0, false);
  const double jet = with.energy()[0];
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const std::size_t values = with.state.fields[Air::velocity].owned_values();
  for (std::size_t i = 0; i < values; ++i) {
    const double noise = 5.0 * uniform(generator);
    with.state[Air::velocity][i] += noise;
    without.state[Air::velocity][i] += noise;
  }
  const double noisy = with.energy()[0];
  CHECK(noisy > 1.005 * jet);
  with.steps(36, 1200.0);
  without.steps(36, 1200.0);
  CHECK(with.energy()[0] < without.energy()[0]);
  CHECK(with.energy()[0] > 0.9 * jet);
}
