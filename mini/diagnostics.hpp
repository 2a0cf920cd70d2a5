// SPDX-License-Identifier: Apache-2.0
// Mass and energy over the sphere, with the same bits on every number of ranks.
#pragma once

#include <mpi.h>

#include <span>
#include <vector>

#include "state.hpp"
#include "stencils.hpp"

namespace thalweg::mini {

struct Diagnostics {
  std::vector<double> mass_m3;    ///< [levels] volume of each layer
  std::vector<double> tracer_m3;  ///< [levels] mass of the first tracer
  double energy_m5_s2 = 0.0;      ///< kinetic plus potential, all layers, divided by density
};

/// Collective over `comm`. ground_m: [vertices].
///   mass   = sum_v A_v h_v
///   energy = sum_v A_v (h_v K_v + g h_v (h_v / 2 + b_v)), what the discrete equations conserve in
///   time
Diagnostics diagnose(MPI_Comm comm, const Mesh& mesh, const Stencils& stencils,
                     std::span<const double> ground_m, const State& state);

/// Largest relative change of a layer's mass since `first`.
double mass_drift(const Diagnostics& first, const Diagnostics& now);
double energy_drift(const Diagnostics& first, const Diagnostics& now);

}  // namespace thalweg::mini
