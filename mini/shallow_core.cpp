// SPDX-License-Identifier: Apache-2.0
// Puts the parts of the shallow-water model together.
#include "shallow_core.hpp"

#include <algorithm>
#include <cmath>

#include "cases.hpp"
#include "constants.hpp"
#include "derived.hpp"
#include "dynamics.hpp"
#include "fields.hpp"
#include "initial_state.hpp"

namespace thalweg::mini {
namespace {

DynamicsSettings dynamics_settings(const SettingTable& model) {
  return {model.number("apvm"), model.number("viscosity")};
}

class ShallowCore final : public Core {
 public:
  ShallowCore(const SettingTable& model, const Mesh& mesh, const Stencils& stencils)
      : ShallowCore(model, mesh, stencils, make_case(model.text("case"))) {}

  void begin_step(const State& state, HaloExchange& halo, double time_step_s) override {
    dynamics_.begin_step(state, halo, time_step_s);
  }
  void tendency(const State& state, State& tendency) override {
    dynamics_.tendency(state, tendency);
  }

  /// Gravity waves of the deepest place, and the wind of the case.
  double fastest_m_s(MPI_Comm comm) const override {
    const auto& thickness = state_[Layers::thickness];
    const double deepest_m =
        largest_over_ranks(comm, *std::max_element(thickness.begin(), thickness.end()));
    return std::sqrt(gravity_m_s2 * deepest_m) + max_wind_m_s_;
  }
  Diagnostics diagnose(MPI_Comm comm) override {
    return mini::diagnose(comm, mesh_, stencils_, ground_m_, state_);
  }
  const char* name_of_tracer() const override { return "tracer_mass"; }
  std::span<const double> columns() const override { return state_[Layers::thickness]; }

  const std::vector<OutputRow>& rows() const override { return rows_; }
  void begin_output() override { derived_.reset(); }
  bool lowest_level_first() const override { return false; }
  std::span<const double> values(std::size_t row) override {
    const FieldRow& field = field_table()[row];
    const auto values = field.compute(derived_);
    if (!field.reduction) return values;
    const int owned = mesh_.part(field.info.place).owned;
    reduced_.resize(owned);
    reduce_levels({owned, state_.levels}, *field.reduction, values, reduced_);
    return reduced_;
  }

 private:
  ShallowCore(const SettingTable& model, const Mesh& mesh, const Stencils& stencils,
              const Case& setup)
      : Core(initial_state(mesh, setup, static_cast<int>(model.integer("levels")),
                           model.number("depth_spread"),
                           static_cast<int>(model.integer("tracers")))),
        mesh_(mesh),
        stencils_(stencils),
        max_wind_m_s_(setup.max_wind_m_s),
        ground_m_(ground_height_m(mesh, setup)),
        dynamics_(mesh, stencils, ground_m_, state_.levels, dynamics_settings(model)),
        derived_(mesh, stencils, ground_m_, state_),
        rows_(shallow_rows(state_.levels)) {}

  const Mesh& mesh_;
  const Stencils& stencils_;
  double max_wind_m_s_;
  std::vector<double> ground_m_;  // [vertices]
  Dynamics dynamics_;
  Derived derived_;
  std::vector<OutputRow> rows_;
  std::vector<double> reduced_;
};

}  // namespace

int shallow_halo_depth(const SettingTable& model) { return halo_depth(dynamics_settings(model)); }

std::unique_ptr<Core> make_shallow_core(const SettingTable& model, const Mesh& mesh,
                                        const Stencils& stencils) {
  return std::make_unique<ShallowCore>(model, mesh, stencils);
}

std::vector<OutputRow> shallow_rows(int levels) {
  std::vector<OutputRow> rows;
  const auto infos = output_fields(levels);
  for (std::size_t row = 0; row < infos.size(); ++row) {
    rows.push_back({infos[row], field_table()[row].kernel});
  }
  return rows;
}

}  // namespace thalweg::mini
