// SPDX-License-Identifier: Apache-2.0
// Puts the parts of the primitive-equation model together.
#include "primitive/primitive_core.hpp"

#include <cmath>

#include "constants.hpp"
#include "model_kernels.hpp"
#include "primitive/air.hpp"
#include "primitive/primitive_fields.hpp"
#include "reproducible_sum.hpp"
#include "thalweg/timers.hpp"

namespace thalweg::mini {
namespace {

/// Of the jet that the wave makes, with room (the largest in nine days is about 50 m/s).
constexpr double allowed_wind_m_s = 60.0;
constexpr double warmest_K = 310.0;  // of the ground; the state begins with less

class PrimitiveCore final : public Core {
 public:
  PrimitiveCore(const SettingTable& model, const Mesh& mesh, const Stencils& stencils)
      : PrimitiveCore(mesh, stencils, HybridLevels(static_cast<int>(model.integer("levels"))),
                      model.text("case") == "baroclinic_wave", model.number("hyperdiffusion")) {}

  void begin_step(const State& state, HaloExchange& halo, double time_step_s) override {
    dynamics_.begin_step(state, halo, time_step_s);
  }
  void tendency(const State& state, State& tendency) override {
    dynamics_.tendency(state, tendency);
  }

  /// The external mode of an isothermal atmosphere, sqrt(R T / (1 - kappa)), and wind.
  double fastest_m_s(MPI_Comm) const override {
    return std::sqrt(gas_constant_J_kg_K * warmest_K / (1.0 - kappa)) + allowed_wind_m_s;
  }
  Diagnostics diagnose(MPI_Comm comm) override;
  const char* name_of_tracer() const override { return "theta_mass"; }
  std::span<const double> columns() const override { return dynamics_.mass(); }

  const std::vector<OutputRow>& rows() const override { return rows_; }
  void begin_output() override { dynamics_.tendency(state_, unused_); }
  std::span<const double> values(std::size_t row) override { return air_field(fields_, row); }
  bool lowest_level_first() const override { return true; }

 private:
  PrimitiveCore(const Mesh& mesh, const Stencils& stencils, const HybridLevels& levels,
                bool perturbed, double hyperdiffusion)
      : Core(baroclinic_state(mesh, levels, perturbed)),
        mesh_(mesh),
        stencils_(stencils),
        levels_(levels),
        hexagons_(mesh, stencils),
        ground_(ground_geopotential_m2_s2(mesh)),
        dynamics_(hexagons_, levels_, ground_, hyperdiffusion),
        rows_(primitive_rows(levels.levels())),
        unused_(state_),
        fields_{mesh, stencils, hexagons_, levels_, state_, dynamics_, ground_} {
    for (double& height : fields_.ground_m) height /= gravity_m_s2;
  }

  const Mesh& mesh_;
  const Stencils& stencils_;
  const HybridLevels levels_;
  const Hexagons hexagons_;
  const std::vector<double> ground_;  // [vertices] geopotential, m2 s-2
  PrimitiveDynamics dynamics_;
  std::vector<OutputRow> rows_;
  State unused_;  // tendencies of a state whose fields are put
  AirFields fields_;
};

/// mass   = sum_v A_v (p_s - p_top) / g,   theta mass = sum_vl A_v (M theta)_vl
/// energy = sum_v A_v (sum_l M_vl (K_vl + c_p T_vl) + Phi_ground p_s / g), which the equations keep
/// below a top at constant pressure
Diagnostics PrimitiveCore::diagnose(MPI_Comm comm) {
  dynamics_.tendency(state_, unused_);
  const ScopedTimer timer(Timer::diagnostics);
  const int levels = state_.levels, points = mesh_.vertex.owned;
  std::vector<double> kinetic(Extent(points, levels).values());
  kinetic_energy({.edges = mesh_.edge.total(),
                  .vertices = points,
                  .levels = levels,
                  .vertex_edges = ::thalweg::mini::rows(stencils_.vertex_edges),
                  .velocity = state_[Air::velocity].data(),
                  .kinetic_weight = ::thalweg::mini::rows(stencils_.kinetic_weight),
                  .energy = kinetic.data()});
  std::vector<double> share;  // [points][3]
  for (int v = 0; v < points; ++v) {
    const double pressure = state_[Air::surface_pressure][v];
    double theta_mass = 0.0, energy = ground_[v] * pressure / gravity_m_s2;
    for (int l = 0; l < levels; ++l) {
      const std::size_t i = std::size_t{1} * v * levels + l;
      const double enthalpy = dynamics_.theta()[i] * dynamics_.exner()[i];
      theta_mass += state_[Air::theta_mass][i];
      energy += dynamics_.mass()[i] * (kinetic[i] + enthalpy);
    }
    const double area_m2 = mesh_.vertex_area_m2[v];
    const double mass = (pressure - levels_.face_a.back()) / gravity_m_s2;
    for (const double each : {mass, theta_mass, energy}) share.push_back(area_m2 * each);
  }
  const auto sums = reproducible_sums(comm, share, 3);
  return {{sums[0]}, {sums[1]}, sums[2]};
}

}  // namespace

int primitive_halo_depth(const SettingTable&) { return 1; }

std::unique_ptr<Core> make_primitive_core(const SettingTable& model, const Mesh& mesh,
                                          const Stencils& stencils) {
  return std::make_unique<PrimitiveCore>(model, mesh, stencils);
}

}  // namespace thalweg::mini
