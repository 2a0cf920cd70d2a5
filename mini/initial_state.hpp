// SPDX-License-Identifier: Apache-2.0
// Puts a case onto the local mesh: initial state and height of the ground.
#pragma once

#include <vector>

#include "cases.hpp"
#include "state.hpp"
#include "thalweg/grid.hpp"

namespace thalweg::mini {

/// [vertices] height of the ground, m, on all local points.
std::vector<double> ground_height_m(const Mesh& mesh, const Case& setup);

/// The state at time 0 on all local points, halo included; layer l of L is deeper than the case by
/// depth_spread * l / (L - 1) of the case's mean depth. Tracer t is 1 + sin(lat) for t = 0, else
/// 1 + cos(lat) cos(t lon), in every layer; dimensionless.
State initial_state(const Mesh& mesh, const Case& setup, int levels, double depth_spread,
                    int tracers);

}  // namespace thalweg::mini
