// SPDX-License-Identifier: Apache-2.0
// Fields computed from the state when an output asks for them, each at most once per output time.
#pragma once

#include <array>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "state.hpp"
#include "stencils.hpp"

namespace thalweg::mini {

/// Every function returns [points][levels] (ground, coriolis: [points]) over at least the owned
/// points of the field's place, valid until the next reset().
class Derived {
 public:
  /// Keeps references; all must outlive it.
  Derived(const Mesh& mesh, const Stencils& stencils, std::span<const double> ground_m,
          const State& state);
  void reset() { made_.clear(); }  ///< the state has changed

  using Values = std::span<const double>;
  Values thickness();
  Values tracer();
  Values kinetic_energy();
  Values divergence();
  Values velocity();
  Values tangential_velocity();
  Values mass_flux();
  Values edge_potential_vorticity();
  Values relative_vorticity();
  Values potential_vorticity();
  Values eastward_wind();
  Values northward_wind();
  Values ground();
  Values coriolis();

 private:
  template <typename Compute>
  Values once(const std::string& name, int points, const Compute& compute);

  const Mesh& mesh_;
  const Stencils& stencils_;
  std::span<const double> ground_m_;
  const State& state_;
  std::vector<std::array<double, 3>> east_, north_;  // [cells], see cell_velocity
  std::map<std::string, bool> made_;
  std::map<std::string, std::vector<double>> values_;
};

}  // namespace thalweg::mini
