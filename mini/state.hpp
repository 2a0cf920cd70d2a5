// SPDX-License-Identifier: Apache-2.0
// The prognostic fields of a model on one rank: what Runge-Kutta schemes advance, halo exchanges
// carry and checkpoints hold.
#pragma once

#include <cstddef>
#include <vector>

#include "thalweg/decomposition.hpp"
#include "thalweg/field.hpp"
#include "thalweg/grid.hpp"

namespace thalweg::mini {

/// A prognostic field, level-innermost over all local points (owned, then halo):
/// values[point * info.levels + level].
struct StateField {
  FieldInfo info;
  int owned;  ///< points [0, owned) are this rank's
  std::vector<double> values;
  std::size_t owned_values() const { return std::size_t{1} * owned * info.levels; }
};

class State {
 public:
  /// All values 0. `spare`: points more than the mesh has, behind the others, whose values stay 0.
  State(const Mesh& mesh, int level_count, const std::vector<FieldInfo>& infos, int spare = 0);

  std::vector<double>& operator[](std::size_t field) { return fields[field].values; }
  const std::vector<double>& operator[](std::size_t field) const { return fields[field].values; }

  int levels;                      ///< of the model; a field may have fewer
  std::vector<StateField> fields;  ///< in an order that the equations name
};

/// The fields that one halo exchange carries. Owns nothing.
std::vector<HaloField> halo_fields(State& state);

/// The fields of the shallow-water equations; those behind `tracer` are further tracers.
struct Layers {
  enum Field : std::size_t {
    velocity,   ///< [edges][levels] m s-1, along t_e
    thickness,  ///< [vertices][levels] m
    tracer      ///< [vertices][levels] m: thickness times mixing ratio
  };
  static State state(const Mesh& mesh, int levels, int tracers);
  static std::size_t tracers(const State& state) { return state.fields.size() - tracer; }
};

}  // namespace thalweg::mini
