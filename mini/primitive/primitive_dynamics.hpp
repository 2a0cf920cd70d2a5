// SPDX-License-Identifier: Apache-2.0
// Tendencies of the hydrostatic primitive equations on one rank: DYNAMICO's kernels in their order.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "primitive/hexagons.hpp"
#include "primitive/hybrid_levels.hpp"
#include "primitive/initial_state.hpp"
#include "runge_kutta.hpp"

namespace thalweg::mini {

/// A mass-based vertical coordinate on hexagons (Dubos et al. 2015), with hyperdiffusion that is
/// found once a step and is the same in all of its stages.
class PrimitiveDynamics final : public Tendencies {
 public:
  /// Keeps references. ground: [vertices] geopotential, m2 s-2; hyperdiffusion: in multiples of
  /// suggested_hyperdiffusion_m4_s.
  PrimitiveDynamics(const Hexagons& hexagons, const HybridLevels& levels,
                    const std::vector<double>& ground, double hyperdiffusion);

  void begin_step(const State& state, HaloExchange& halo, double time_step_s) override;
  void tendency(const State& state, State& tendency) override;

  // Of the state that tendency() was last called with.
  const std::vector<double>& mass() const { return mass_; }                    ///< kg m-2
  const std::vector<double>& theta() const { return theta_; }                  ///< K
  const std::vector<double>& exner() const { return exner_; }                  ///< J kg-1 K-1
  const std::vector<double>& geopotential() const { return geopotential_; }    ///< on faces, m2 s-2
  const std::vector<double>& vertical_flux() const { return vertical_flux_; }  ///< on faces

 private:
  using Range = std::array<std::int64_t, 2>;  // first, one behind the last
  void find_layers(const State& state);
  void find_curvature(const std::vector<double>& velocity, std::vector<double>& curvature);
  void horizontal(const State& state, State& tendency);
  void vertical(const State& state, State& tendency);
  void add_hyperdiffusion(State& tendency);

  const Hexagons& hexagons_;
  const HybridLevels& levels_;
  double strength_m4_s_;
  Range all_cells_, all_vertices_, all_edges_, owned_cells_, owned_edges_;
  std::vector<double> mass_, theta_, exner_, convergence_;     // [cells][levels]
  std::vector<double> geopotential_, vertical_flux_;           // [cells][levels + 1]
  std::vector<double> vorticity_;                              // [vertices][levels]
  std::vector<double> edge_vorticity_, flux_;                  // [edges][levels]
  std::vector<double> momentum_flux_;                          // [edges][levels + 1]
  std::vector<double> velocity_curvature_, velocity_forcing_;  // [edges][levels]
  std::vector<double> theta_curvature_, theta_forcing_;        // [cells][levels]
};

/// d^3 20 m/s / 36 for a distance d of hexagons: 6 / d^2 is the largest eigenvalue of div grad on
/// such a grid (mini/model.cpp), so its shortest waves of divergence and temperature fall to 1/e in
/// the time that 20 m/s need from one hexagon to the next. Vorticity that changes sign from
/// triangle to triangle has 24 / d^2 and falls 16 times as fast. 8e15 m4/s on R2B4, 1e15 on R2B5.
double suggested_hyperdiffusion_m4_s(const Hexagons& hexagons);

}  // namespace thalweg::mini
