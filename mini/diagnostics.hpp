// SPDX-License-Identifier: Apache-2.0
// Mass and energy over the sphere, with the same bits on every number of ranks.
#pragma once

#include <mpi.h>

#include <span>
#include <vector>

#include "state.hpp"
#include "stencils.hpp"

namespace thalweg::mini {

/// What the equations conserve; units of the shallow-water (and of the primitive) equations.
struct Diagnostics {
  std::vector<double> mass;    ///< [levels] volume of each layer, m3 (or [1] of all air, kg)
  std::vector<double> tracer;  ///< [levels] of the first tracer, m3 (or [1] of potential
                               ///< temperature times mass, K kg)
  double energy = 0.0;         ///< of all layers, divided by density, m5 s-2 (or J)
};

/// Of the shallow-water equations. Collective over `comm`. ground_m: [vertices].
///   mass   = sum_v A_v h_v
///   energy = sum_v A_v (h_v K_v + g h_v (h_v / 2 + b_v)), what the discrete equations conserve in
///   time
Diagnostics diagnose(MPI_Comm comm, const Mesh& mesh, const Stencils& stencils,
                     std::span<const double> ground_m, const State& state);

/// Largest relative change of a layer's mass since `first`.
double mass_drift(const Diagnostics& first, const Diagnostics& now);
double energy_drift(const Diagnostics& first, const Diagnostics& now);

/// Collective over `comm`.
double largest_over_ranks(MPI_Comm comm, double value);

}  // namespace thalweg::mini
