// SPDX-License-Identifier: Apache-2.0
// Tendencies of the shallow-water equations on one rank: the kernels in their order.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "model_kernels.hpp"
#include "runge_kutta.hpp"
#include "state.hpp"
#include "stencils.hpp"

namespace thalweg::mini {

struct DynamicsSettings {
  double anticipation = 0.5;    ///< [model] apvm: upwinding of potential vorticity, in time steps
  double viscosity_m2_s = 0.0;  ///< [model] viscosity
};

/// Halo depth the tendencies of owned points need. Everything but the anticipation reaches one
/// neighbourhood; the anticipation at the edges around an edge needs velocities around those again.
int halo_depth(const DynamicsSettings& settings);

/// Layers are independent shallow-water spheres; nothing here knows of time or of other ranks.
class Dynamics final : public Tendencies {
 public:
  /// Keeps references: `mesh` and `stencils` must outlive it. ground_m: [vertices] height of the
  /// ground.
  Dynamics(const Mesh& mesh, const Stencils& stencils, std::span<const double> ground_m, int levels,
           const DynamicsSettings& settings);

  /// Sets the anticipation of potential vorticity.
  void begin_step(const State& state, HaloExchange& halo, double time_step_s) override;

  /// Halo points of `tendency` are not touched.
  void tendency(const State& state, State& tendency) override;

 private:
  shallow_water_arguments of_layers(const State& state, State& tendency);
  anticipation_arguments of_anticipation(const State& state, double period_s);
  tracer_transport_arguments of_tracer(const State& state, std::size_t tracer, State& tendency);
  void add_viscosity(const State& state, State& tendency);

  const Mesh& mesh_;
  const Stencils& stencils_;
  std::span<const double> ground_m_;
  int levels_;
  DynamicsSettings settings_;
  std::array<std::int64_t, 2> owned_edges_, owned_vertices_;  // first, one behind the last
  std::vector<double> flux_, ahead_;                          // [edges][levels]
  std::vector<double> vorticity_;                             // [cells][levels]
  struct Tiles {
    std::shared_ptr<const void> layers, anticipation, tracer;
  };
  std::optional<Tiles> tiles_;  // where fields lie beyond the caches
};

}  // namespace thalweg::mini
