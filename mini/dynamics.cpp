// SPDX-License-Identifier: Apache-2.0
// Calls the kernels for anticipation and tendencies.
#include "dynamics.hpp"

#include "constants.hpp"
#include "thalweg/timers.hpp"

namespace thalweg::mini {
namespace {

/// Bytes of a field on edges from which on tiles are worth their tables: a step has about twelve
/// such fields, and caches of 32 MiB hold them until then.
constexpr std::size_t bytes_for_tiles = std::size_t{4} << 20;

}  // namespace

int halo_depth(const DynamicsSettings& settings) { return settings.anticipation > 0.0 ? 2 : 1; }

Dynamics::Dynamics(const Mesh& mesh, const Stencils& stencils, std::span<const double> ground_m,
                   int levels, const DynamicsSettings& settings)
    : mesh_(mesh),
      stencils_(stencils),
      ground_m_(ground_m),
      levels_(levels),
      settings_(settings),
      owned_edges_{0, mesh.edge.owned},
      owned_vertices_{0, mesh.vertex.owned},
      flux_(Extent(mesh.edge.total(), levels).values()),
      ahead_(flux_.size()),
      vorticity_(Extent(mesh.cell.total(), levels).values()) {
  if (flux_.size() * sizeof(double) < bytes_for_tiles) return;
  State none =
      Layers::state(mesh, 0, 1);  // tiles are those of tables and ranges, whatever the fields hold
  tiles_ = {shallow_water_in_tiles_tiles(of_layers(none, none)),
            anticipation_in_tiles_tiles(of_anticipation(none, 0.0)),
            tracer_transport_in_tiles_tiles(of_tracer(none, 0, none))};
}

anticipation_arguments Dynamics::of_anticipation(const State& state, double period_s) {
  const Stencils& s = stencils_;
  return {.edges = mesh_.edge.total(),
          .vertices = mesh_.vertex.total(),
          .cells = mesh_.cell.total(),
          .levels = levels_,
          .cell_edges = rows(s.cell_edges),
          .cell_vertices = rows(s.cell_vertices),
          .vertex_cells = rows(s.vertex_cells),
          .edge_ring = rows(s.edge_ring),
          .edge_vertices = rows(s.edge_vertices),
          .edge_cells = rows(s.edge_cells),
          .velocity = state[Layers::velocity].data(),
          .thickness = state[Layers::thickness].data(),
          .period = period_s,
          .circulation_weight = rows(s.circulation_weight),
          .thickness_weight = rows(s.cell_thickness_weight),
          .coriolis = s.cell_coriolis.data(),
          .average_weight = rows(s.vertex_average_weight),
          .perpendicular_weight = rows(s.perpendicular_weight),
          .per_length = s.inverse_edge_length.data(),
          .per_face = s.inverse_face_length.data(),
          .ahead = ahead_.data()};
}

shallow_water_arguments Dynamics::of_layers(const State& state, State& tendency) {
  const Stencils& s = stencils_;
  return {.edges = mesh_.edge.total(),
          .vertices = mesh_.vertex.total(),
          .cells = mesh_.cell.total(),
          .levels = levels_,
          .edge_vertices = rows(s.edge_vertices),
          .vertex_edges = rows(s.vertex_edges),
          .cell_edges = rows(s.cell_edges),
          .cell_vertices = rows(s.cell_vertices),
          .edge_cells = rows(s.edge_cells),
          .edge_ring = rows(s.edge_ring),
          .velocity = state[Layers::velocity].data(),
          .thickness = state[Layers::thickness].data(),
          .ahead = ahead_.data(),
          .ground = ground_m_.data(),
          .gravity = gravity_m_s2,
          .circulation_weight = rows(s.circulation_weight),
          .thickness_weight = rows(s.cell_thickness_weight),
          .coriolis = s.cell_coriolis.data(),
          .divergence_weight = rows(s.divergence_weight),
          .kinetic_weight = rows(s.kinetic_weight),
          .perpendicular_weight = rows(s.perpendicular_weight),
          .per_length = s.inverse_edge_length.data(),
          .owned_vertices = owned_vertices_.data(),
          .owned_vertices_parts = 1,
          .owned_edges = owned_edges_.data(),
          .owned_edges_parts = 1,
          .flux = flux_.data(),
          .vorticity = vorticity_.data(),
          .thickness_tendency = tendency[Layers::thickness].data(),
          .velocity_tendency = tendency[Layers::velocity].data()};
}

tracer_transport_arguments Dynamics::of_tracer(const State& state, std::size_t tracer,
                                               State& tendency) {
  return {.edges = mesh_.edge.total(),
          .vertices = mesh_.vertex.total(),
          .levels = levels_,
          .edge_vertices = rows(stencils_.edge_vertices),
          .vertex_edges = rows(stencils_.vertex_edges),
          .flux = flux_.data(),
          .thickness = state[Layers::thickness].data(),
          .tracer_mass = state[Layers::tracer + tracer].data(),
          .divergence_weight = rows(stencils_.divergence_weight),
          .owned_vertices = owned_vertices_.data(),
          .owned_vertices_parts = 1,
          .tracer_tendency = tendency[Layers::tracer + tracer].data()};
}

void Dynamics::begin_step(const State& state, HaloExchange&, double time_step_s) {
  if (settings_.anticipation == 0.0) return;
  const ScopedTimer timer(Timer::dynamics);
  const auto arguments = of_anticipation(state, settings_.anticipation * time_step_s);
  if (tiles_) {
    anticipation_in_tiles(tiles_->anticipation, arguments);
  } else {
    anticipation(arguments);
  }
}

void Dynamics::tendency(const State& state, State& tendency) {
  {
    const ScopedTimer timer(Timer::dynamics);
    const auto arguments = of_layers(state, tendency);
    if (tiles_) {
      shallow_water_in_tiles(tiles_->layers, arguments);
    } else {
      shallow_water(arguments);
    }
    if (settings_.viscosity_m2_s > 0.0) add_viscosity(state, tendency);
  }
  const ScopedTimer timer(Timer::tracers);
  for (std::size_t t = 0; t < Layers::tracers(state); ++t) {
    const auto arguments = of_tracer(state, t, tendency);
    if (tiles_) {
      tracer_transport_in_tiles(tiles_->tracer, arguments);
    } else {
      tracer_transport(arguments);
    }
  }
}

/// After the layers, whose vorticity it takes.
void Dynamics::add_viscosity(const State& state, State& tendency) {
  const Stencils& s = stencils_;
  viscosity({.edges = mesh_.edge.total(),
             .cells = mesh_.cell.total(),
             .vertices = mesh_.vertex.total(),
             .levels = levels_,
             .vertex_edges = rows(s.vertex_edges),
             .edge_vertices = rows(s.edge_vertices),
             .edge_cells = rows(s.edge_cells),
             .velocity = state[Layers::velocity].data(),
             .vorticity = vorticity_.data(),
             .strength = settings_.viscosity_m2_s,
             .divergence_weight = rows(s.divergence_weight),
             .per_length = s.inverse_edge_length.data(),
             .per_face = s.inverse_face_length.data(),
             .owned_edges = owned_edges_.data(),
             .owned_edges_parts = 1,
             .velocity_tendency = tendency[Layers::velocity].data()});
}

}  // namespace thalweg::mini
