// SPDX-License-Identifier: Apache-2.0
// The table of output fields of the primitive equations, and the kernel behind each.
#pragma once

#include <span>
#include <vector>

#include "core.hpp"
#include "primitive/primitive_dynamics.hpp"
#include "stencils.hpp"

namespace thalweg::mini {

/// What fields are computed from. Keeps references to the parts of a Core, the dynamics being those
/// of the state.
struct AirFields {
  const Mesh& mesh;
  const Stencils& stencils;
  const Hexagons& hexagons;
  const HybridLevels& levels;
  const State& state;
  const PrimitiveDynamics& dynamics;
  std::vector<double> ground_m;  ///< [vertices] height of the ground
  std::vector<double> room{};    ///< of a field that is computed
};

/// Fields on faces of layers are on request: a stream holds those of layers or those of faces.
std::vector<OutputRow> primitive_rows(int levels);

/// Of row `row`: [points][its levels], the lowest first; valid until the next call.
std::span<const double> air_field(AirFields& fields, std::size_t row);

}  // namespace thalweg::mini
