// SPDX-License-Identifier: Apache-2.0
// Calls the kernels for anticipation and tendencies.
#include "dynamics.hpp"

#include "constants.hpp"
#include "kernels/anticipation.hpp"
#include "kernels/bernoulli.hpp"
#include "kernels/divergence.hpp"
#include "kernels/edge_potential_vorticity.hpp"
#include "kernels/kinetic_energy.hpp"
#include "kernels/mass_flux.hpp"
#include "kernels/momentum_tendency.hpp"
#include "kernels/potential_vorticity.hpp"
#include "kernels/relative_vorticity.hpp"
#include "kernels/tangential_velocity.hpp"
#include "kernels/tracer_flux.hpp"
#include "kernels/vertex_average.hpp"
#include "kernels/viscosity.hpp"
#include "thalweg/timers.hpp"

namespace thalweg::mini {

int halo_depth(const DynamicsSettings& settings) { return settings.anticipation > 0.0 ? 2 : 1; }

Dynamics::Dynamics(const Mesh& mesh, const Stencils& stencils, std::span<const double> ground_m,
                   int levels, const DynamicsSettings& settings)
    : mesh_(mesh),
      stencils_(stencils),
      ground_m_(ground_m),
      settings_(settings),
      cells_{mesh.cell.total(), levels},
      edges_{mesh.edge.total(), levels},
      vertices_{mesh.vertex.total(), levels},
      owned_edges_{mesh.edge.owned, levels},
      owned_vertices_{mesh.vertex.owned, levels} {
  for (auto* array : {&flux_, &edge_pv_, &anticipation_, &edge_scratch_}) {
    array->assign(edges_.values(), 0.0);
  }
  for (auto* array : {&vorticity_, &pv_}) array->assign(cells_.values(), 0.0);
  for (auto* array : {&bernoulli_, &vertex_scratch_}) array->assign(vertices_.values(), 0.0);
}

void Dynamics::vorticity(const State& state) {
  const Stencils& s = stencils_;
  relative_vorticity(cells_, s.cell_edges, s.circulation_weight, state.velocity, vorticity_);
  potential_vorticity(cells_, s.cell_vertices, s.cell_thickness_weight, s.cell_coriolis, vorticity_,
                      state.thickness, pv_);
}

void Dynamics::anticipate(const State& state, double time_step_s) {
  if (settings_.anticipation == 0.0) return;
  const ScopedTimer timer(Timer::dynamics);
  const Stencils& s = stencils_;
  vorticity(state);
  vertex_average(vertices_, s.vertex_cells, s.vertex_average_weight, pv_, vertex_scratch_);
  tangential_velocity(edges_, s.edge_ring, s.perpendicular_weight, state.velocity, edge_scratch_);
  anticipation(edges_, s, settings_.anticipation * time_step_s, state.velocity, edge_scratch_, pv_,
               vertex_scratch_, anticipation_);
}

void Dynamics::tendency(const State& state, State& tendency) {
  const Stencils& s = stencils_;
  {
    const ScopedTimer timer(Timer::dynamics);
    mass_flux(edges_, s.edge_vertices, state.thickness, state.velocity, flux_);
    divergence(owned_vertices_, s.vertex_edges, s.divergence_weight, flux_, -1.0,
               tendency.thickness);
    vorticity(state);
    edge_potential_vorticity(edges_, s.edge_cells, pv_, anticipation_, edge_pv_);
    kinetic_energy(vertices_, s.vertex_edges, s.kinetic_weight, state.velocity, bernoulli_);
    bernoulli(vertices_, gravity_m_s2, state.thickness, ground_m_, bernoulli_, bernoulli_);
    momentum_tendency(owned_edges_, s, flux_, edge_pv_, bernoulli_, tendency.velocity);
    if (settings_.viscosity_m2_s > 0.0) {
      divergence(vertices_, s.vertex_edges, s.divergence_weight, state.velocity, 1.0,
                 vertex_scratch_);
      viscosity(owned_edges_, s, settings_.viscosity_m2_s, vertex_scratch_, vorticity_,
                tendency.velocity);
    }
  }
  const ScopedTimer timer(Timer::tracers);
  for (std::size_t t = 0; t < state.tracer_mass.size(); ++t) {
    tracer_flux(edges_, s.edge_vertices, flux_, state.thickness, state.tracer_mass[t],
                edge_scratch_);
    divergence(owned_vertices_, s.vertex_edges, s.divergence_weight, edge_scratch_, -1.0,
               tendency.tracer_mass[t]);
  }
}

}  // namespace thalweg::mini
