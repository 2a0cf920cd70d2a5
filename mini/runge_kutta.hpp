// SPDX-License-Identifier: Apache-2.0
// One time step of a Runge-Kutta scheme, with one halo exchange a stage.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>

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

/// The right-hand side of a model's equations on one rank.
class Tendencies {
 public:
  virtual ~Tendencies() = default;
  /// What stays the same for all stages of the step that starts from `state`, whose halo is
  /// current. Collective where it exchanges.
  virtual void begin_step(const State& state, HaloExchange& halo, double time_step_s) = 0;
  /// d(state)/dt at owned points. Needs a current halo; knows nothing of time or of other ranks.
  virtual void tendency(const State& state, State& tendency) = 0;
};

class RungeKutta {
 public:
  RungeKutta(const Scheme& scheme, const State& like);

  /// Advances `state` by one step and brings its halo up to date. `meanwhile` runs while the last
  /// exchange is under way and may read owned points of `state`.
  void step(State& state, Tendencies& equations, HaloExchange& halo, double time_step_s,
            const std::function<void()>& meanwhile);

 private:
  void update(const State& base, int stage, double time_step_s);
  void finish(State& base, double time_step_s);

  const Scheme& scheme_;
  State stage_, sum_, tendency_;
};

}  // namespace thalweg::mini
