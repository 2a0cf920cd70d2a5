// SPDX-License-Identifier: Apache-2.0
// Tendencies of the shallow-water equations on one rank: the kernels in their order.
#pragma once

#include <span>
#include <vector>

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
class Dynamics {
 public:
  /// Keeps references: `mesh` and `stencils` must outlive it. ground_m: [vertices] height of the
  /// ground.
  Dynamics(const Mesh& mesh, const Stencils& stencils, std::span<const double> ground_m, int levels,
           const DynamicsSettings& settings);

  /// Sets the anticipation of potential vorticity for a step that starts from `state`; it stays the
  /// same for all stages of the step.
  void anticipate(const State& state, double time_step_s);

  /// d(state)/dt at owned points; halo points of `tendency` are not touched. Needs a current halo.
  void tendency(const State& state, State& tendency);

 private:
  void vorticity(const State& state);

  const Mesh& mesh_;
  const Stencils& stencils_;
  std::span<const double> ground_m_;
  DynamicsSettings settings_;
  Extent cells_, edges_, vertices_, owned_edges_, owned_vertices_;
  // Scratch, [points][levels]:
  std::vector<double> flux_, edge_pv_, anticipation_, edge_scratch_;  // edges
  std::vector<double> vorticity_, pv_;                                // cells
  std::vector<double> bernoulli_, vertex_scratch_;                    // vertices
};

}  // namespace thalweg::mini
