// SPDX-License-Identifier: Apache-2.0
// The prognostic fields of the mini-model on one rank.
#pragma once

#include <vector>

#include "thalweg/decomposition.hpp"
#include "thalweg/grid.hpp"

namespace thalweg::mini {

/// All arrays level-innermost over all local points (owned, then halo): array[point * levels +
/// level].
struct State {
  State(const Mesh& mesh, int level_count, int tracers);

  int levels;
  std::vector<double> velocity;                  ///< [edges][levels] m s-1, along t_e
  std::vector<double> thickness;                 ///< [vertices][levels] m
  std::vector<std::vector<double>> tracer_mass;  ///< [tracers] of [vertices][levels], h q, m
};

/// The fields that one halo exchange carries. Owns nothing.
std::vector<HaloField> halo_fields(State& state);

}  // namespace thalweg::mini
