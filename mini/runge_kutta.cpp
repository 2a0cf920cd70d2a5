// SPDX-License-Identifier: Apache-2.0
// The table of Runge-Kutta schemes and the loop over stages.
#include "runge_kutta.hpp"

#include <vector>

#include "model_kernels.hpp"
#include "thalweg/error.hpp"
#include "thalweg/timers.hpp"

namespace thalweg::mini {
namespace {

// Classical RK4 (2 sqrt 2), and the three-stage scheme of Wicker & Skamarock 2002 (sqrt 3), third
// order for linear equations.
constexpr std::array schemes{
    Scheme{
        "rk4", 4, {0.5, 0.5, 1.0, 0.0}, {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, 2.8284271247461903},
    Scheme{"rk3", 3, {1.0 / 3, 0.5, 0.0, 0.0}, {0.0, 0.0, 1.0, 0.0}, 1.7320508075688772},
};

}  // namespace

const Scheme& find_scheme(std::string_view name) {
  std::vector<std::string> known;
  for (const Scheme& scheme : schemes) {
    if (scheme.name == name) return scheme;
    known.emplace_back(scheme.name);
  }
  throw Error(Blame::user, "[model] time_scheme: '" + std::string(name) +
                               "' does not exist; choose rk4 or rk3." + did_you_mean(name, known));
}

RungeKutta::RungeKutta(const Scheme& scheme, const State& like)
    : scheme_(scheme), stage_(like), sum_(like), tendency_(like) {}

void RungeKutta::update(const State& base, int stage, double time_step_s) {
  const ScopedTimer timer(Timer::dynamics);
  const double sum_s = scheme_.sum[stage] * time_step_s;
  const double next_s = scheme_.next[stage] * time_step_s;
  for (std::size_t field = 0; field < base.fields.size(); ++field) {
    const auto values = static_cast<std::int64_t>(base.fields[field].owned_values());
    if (stage == 0) {
      first_stage({.levels = values,
                   .base = base[field].data(),
                   .tendency = tendency_[field].data(),
                   .sum_step = sum_s,
                   .stage_step = next_s,
                   .total = sum_[field].data(),
                   .stage = stage_[field].data()});
    } else {
      next_stage({.levels = values,
                  .base = base[field].data(),
                  .tendency = tendency_[field].data(),
                  .sum_step = sum_s,
                  .stage_step = next_s,
                  .total = sum_[field].data(),
                  .stage = stage_[field].data()});
    }
  }
}

void RungeKutta::finish(State& base, double time_step_s) {
  const ScopedTimer timer(Timer::dynamics);
  const double step_s = scheme_.sum[scheme_.stages - 1] * time_step_s;
  for (std::size_t field = 0; field < base.fields.size(); ++field) {
    last_stage({.levels = static_cast<std::int64_t>(base.fields[field].owned_values()),
                .total = sum_[field].data(),
                .tendency = tendency_[field].data(),
                .sum_step = step_s,
                .base = base[field].data()});
  }
}

void RungeKutta::step(State& state, Tendencies& equations, HaloExchange& halo, double time_step_s,
                      const std::function<void()>& meanwhile) {
  equations.begin_step(state, halo, time_step_s);
  for (int stage = 0; stage < scheme_.stages; ++stage) {
    equations.tendency(stage == 0 ? state : stage_, tendency_);
    const bool last = stage + 1 == scheme_.stages;
    if (last) {
      finish(state, time_step_s);
    } else {
      update(state, stage, time_step_s);
    }
    const auto fields = halo_fields(last ? state : stage_);
    halo.start(fields);
    if (last) meanwhile();
    halo.finish();
  }
}

}  // namespace thalweg::mini
