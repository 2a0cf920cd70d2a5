// SPDX-License-Identifier: Apache-2.0
// One time step of a Runge-Kutta scheme, with one halo exchange a stage.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>

#include "dynamics.hpp"
#include "state.hpp"
#include "thalweg/decomposition.hpp"

namespace thalweg::mini {

/// A scheme whose stage s + 1 starts from base + next[s] dt k_s, and whose step is base + sum of
/// sum[s] dt k_s. `imaginary_limit`: largest omega dt for which waves do not grow.
struct Scheme {
  std::string_view name;
  int stages;
  std::array<double, 4> next, sum;
  double imaginary_limit;
};

/// The scheme of [model] time_scheme. Throws Error(user) on an unknown name.
const Scheme& find_scheme(std::string_view name);

class RungeKutta {
 public:
  RungeKutta(const Scheme& scheme, const Mesh& mesh, const State& like);

  /// Advances `state` by one step and brings its halo up to date. `meanwhile` runs while the last
  /// exchange is under way and may read owned points of `state`.
  void step(State& state, Dynamics& dynamics, HaloExchange& halo, double time_step_s,
            const std::function<void()>& meanwhile);

 private:
  void update(const State& base, int stage, double time_step_s);
  void finish(State& base, double time_step_s);

  const Scheme& scheme_;
  std::size_t owned_velocity_, owned_mass_;  // values, not points
  State stage_, sum_, tendency_;
};

}  // namespace thalweg::mini
