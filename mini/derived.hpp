// SPDX-License-Identifier: Apache-2.0
// What output fields are computed from at one output time, each computed at most once.
#pragma once

#include <array>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "state.hpp"
#include "stencils.hpp"

namespace thalweg::mini {

/// The state, the mesh, and a place for fields derived from them. Keeps references; all must
/// outlive it.
class Derived {
 public:
  using Values = std::span<const double>;  ///< [points][levels], over at least the owned points

  Derived(const Mesh& mesh, const Stencils& stencils, std::span<const double> ground_m,
          const State& state);

  const Mesh& mesh;
  const Stencils& stencils;
  std::span<const double> ground_m;  ///< [vertices] m
  const State& state;
  std::vector<std::array<double, 3>> east, north;  ///< [cells] weights of cell_velocity

  /// compute(extent, out) fills out[points of `place`][levels], unless the field `name` was made
  /// since the last reset(). The values are valid until then.
  template <typename Compute>
  Values once(const std::string& name, Place place, const Compute& compute) {
    const Extent extent{mesh.part(place).total(), state.levels};
    std::vector<double>& values = values_[name];
    bool& made = made_[name];
    if (!made) {
      values.resize(extent.values());
      compute(extent, std::span<double>(values));
      made = true;
    }
    return values;
  }
  void reset() { made_.clear(); }  ///< the state has changed

 private:
  std::map<std::string, bool> made_;
  std::map<std::string, std::vector<double>> values_;
};

}  // namespace thalweg::mini
