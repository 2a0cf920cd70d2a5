// SPDX-License-Identifier: Apache-2.0
// Calls the kernels. Values on halo points that owned ones need are computed here, too: one halo
// exchange a stage, of the state.
#include "primitive/primitive_dynamics.hpp"

#include <cmath>

#include "constants.hpp"
#include "kernel_ranks.hpp"
#include "model_kernels.hpp"
#include "primitive/air.hpp"
#include "thalweg/timers.hpp"

namespace thalweg::mini {

double suggested_hyperdiffusion_m4_s(const Hexagons& hexagons) {
  constexpr double speed_m_s = 20.0;
  return std::pow(hexagons.mean_distance_m, 3) * speed_m_s / 36.0;
}

PrimitiveDynamics::PrimitiveDynamics(const Hexagons& hexagons, const HybridLevels& levels,
                                     const std::vector<double>& ground, double hyperdiffusion)
    : hexagons_(hexagons),
      levels_(levels),
      strength_m4_s_(hyperdiffusion * suggested_hyperdiffusion_m4_s(hexagons)),
      all_cells_{0, hexagons.cells},
      all_vertices_{0, hexagons.vertices},
      all_edges_{0, hexagons.edges},
      owned_cells_{0, hexagons.owned_cells},
      owned_edges_{0, hexagons.owned_edges} {
  const int count = levels.levels();
  const auto in_cells = Extent(hexagons.cells, count).values();
  const auto in_edges = Extent(hexagons.edges, count).values();
  const auto on_cell_faces = Extent(hexagons.cells, count + 1).values();
  for (auto* field : {&mass_, &theta_, &exner_, &convergence_}) field->resize(in_cells);
  for (auto* field : {&geopotential_, &vertical_flux_}) field->resize(on_cell_faces);
  vorticity_.resize(Extent(hexagons.vertices, count).values());
  for (auto* field : {&edge_vorticity_, &flux_}) field->resize(in_edges);
  momentum_flux_.resize(Extent(hexagons.edges, count + 1).values());
  for (int cell = 0; cell < hexagons.cells; ++cell) {
    geopotential_[std::size_t{1} * cell * (count + 1)] = ground[cell];
  }
  if (strength_m4_s_ == 0.0) return;
  for (auto* field : {&velocity_curvature_, &velocity_forcing_}) field->resize(in_edges);
  for (auto* field : {&theta_curvature_, &theta_forcing_}) field->resize(in_cells);
}

/// Mass, potential temperature and potential vorticity.
void PrimitiveDynamics::find_layers(const State& state) {
  const Hexagons& h = hexagons_;
  pvort({.edges = h.edges,
         .cells = h.cells,
         .vertices = h.vertices,
         .levels = levels_.levels(),
         .vertex_edges = rows(h.vertex_edges),
         .vertex_cells = rows(h.vertex_cells),
         .edge_vertices = rows(h.edge_vertices),
         .velocity = state[Air::velocity].data(),
         .surface_pressure = state[Air::surface_pressure].data(),
         .theta_mass = state[Air::theta_mass].data(),
         .mass_a = levels_.mass_a.data(),
         .mass_b = levels_.mass_b.data(),
         .gravity = gravity_m_s2,
         .distance = h.distance_m.data(),
         .orientation = rows(h.around),
         .overlap = rows(h.overlap),
         .dual_area = h.dual_area_m2.data(),
         .coriolis = h.coriolis.data(),
         .extended = all_cells_.data(),
         .extended_parts = 1,
         .extended_vertices = all_vertices_.data(),
         .extended_vertices_parts = 1,
         .owned_edges = all_edges_.data(),
         .owned_edges_parts = 1,
         .mass = mass_.data(),
         .theta = theta_.data(),
         .vorticity = vorticity_.data(),
         .edge_vorticity = edge_vorticity_.data()});
}

void PrimitiveDynamics::find_curvature(const std::vector<double>& velocity,
                                       std::vector<double>& curvature) {
  const Hexagons& h = hexagons_;
  vector_laplacian({.edges = h.edges,
                    .cells = h.cells,
                    .vertices = h.vertices,
                    .levels = levels_.levels(),
                    .cell_edges = rows(h.cell_edges),
                    .vertex_edges = rows(h.vertex_edges),
                    .edge_cells = rows(h.edge_cells),
                    .edge_vertices = rows(h.edge_vertices),
                    .velocity = velocity.data(),
                    .length = h.length_m.data(),
                    .distance = h.distance_m.data(),
                    .area = h.area_m2.data(),
                    .dual_area = h.dual_area_m2.data(),
                    .outward = rows(h.outward),
                    .around = rows(h.around),
                    .owned_edges = owned_edges_.data(),
                    .owned_edges_parts = 1,
                    .curvature = curvature.data()});
}

/// Laplacians of owned points, those of the halo from their owners, and Laplacians of them.
void PrimitiveDynamics::begin_step(const State& state, HaloExchange& halo, double) {
  if (strength_m4_s_ == 0.0) return;
  const CallsOfHexagons calls;
  const Hexagons& h = hexagons_;
  const int count = levels_.levels();
  {
    const ScopedTimer timer(Timer::dynamics);
    find_layers(state);
    find_curvature(state[Air::velocity], velocity_curvature_);
    scalar_laplacian({.cells = h.cells,
                      .edges = h.edges,
                      .levels = count,
                      .edge_cells = rows(h.edge_cells),
                      .cell_edges = rows(h.cell_edges),
                      .scalar = theta_.data(),
                      .length = h.length_m.data(),
                      .distance = h.distance_m.data(),
                      .area = h.area_m2.data(),
                      .outward = rows(h.outward),
                      .owned = owned_cells_.data(),
                      .owned_parts = 1,
                      .curvature = theta_curvature_.data()});
  }
  const std::array fields{HaloField{Place::edge, count, velocity_curvature_.data()},
                          HaloField{Place::vertex, count, theta_curvature_.data()}};
  halo.exchange(fields);
  const ScopedTimer timer(Timer::dynamics);
  find_curvature(velocity_curvature_, velocity_forcing_);
  scalar_hyperdiffusion({.cells = h.cells,
                         .edges = h.edges,
                         .levels = count,
                         .edge_cells = rows(h.edge_cells),
                         .cell_edges = rows(h.cell_edges),
                         .curvature = theta_curvature_.data(),
                         .mass = mass_.data(),
                         .strength = strength_m4_s_,
                         .length = h.length_m.data(),
                         .distance = h.distance_m.data(),
                         .area = h.area_m2.data(),
                         .outward = rows(h.outward),
                         .owned = owned_cells_.data(),
                         .owned_parts = 1,
                         .forcing = theta_forcing_.data()});
}

void PrimitiveDynamics::tendency(const State& state, State& tendency) {
  const ScopedTimer timer(Timer::dynamics);
  const CallsOfHexagons calls;
  find_layers(state);
  geopot({.cells = hexagons_.cells,
          .levels = levels_.levels(),
          .surface_pressure = state[Air::surface_pressure].data(),
          .mass = mass_.data(),
          .theta = theta_.data(),
          .mean_a = levels_.mean_a.data(),
          .mean_b = levels_.mean_b.data(),
          .top_pressure = 0.0,  // A holds it
          .reference_pressure = reference_pressure_Pa,
          .gravity = gravity_m_s2,
          .heat_capacity = heat_capacity_J_kg_K,
          .kappa = kappa,
          .extended = all_cells_.data(),
          .extended_parts = 1,
          .exner = exner_.data(),
          .geopotential = geopotential_.data()});
  horizontal(state, tendency);
  vertical(state, tendency);
  if (strength_m4_s_ > 0.0) add_hyperdiffusion(tendency);
}

/// Fluxes and convergences of all local hexagons: the vertical fluxes on both sides of an edge are
/// wanted.
void PrimitiveDynamics::horizontal(const State& state, State& tendency) {
  const Hexagons& h = hexagons_;
  caldyn_horiz({.edges = h.edges,
                .cells = h.cells,
                .levels = levels_.levels(),
                .edge_cells = rows(h.edge_cells),
                .cell_edges = rows(h.cell_edges),
                .edge_others = rows(h.edge_others),
                .velocity = state[Air::velocity].data(),
                .mass = mass_.data(),
                .vorticity = edge_vorticity_.data(),
                .theta = theta_.data(),
                .geopotential = geopotential_.data(),
                .exner = exner_.data(),
                .length = h.length_m.data(),
                .distance = h.distance_m.data(),
                .area = h.area_m2.data(),
                .orientation = rows(h.outward),
                .weight = rows(h.weight),
                .extended = all_cells_.data(),
                .extended_parts = 1,
                .extended_edges = all_edges_.data(),
                .extended_edges_parts = 1,
                .owned = all_cells_.data(),
                .owned_parts = 1,
                .owned_edges = owned_edges_.data(),
                .owned_edges_parts = 1,
                .flux = flux_.data(),
                .convergence = convergence_.data(),
                .theta_tendency = tendency[Air::theta_mass].data(),
                .velocity_tendency = tendency[Air::velocity].data()});
}

void PrimitiveDynamics::vertical(const State& state, State& tendency) {
  caldyn_vert({.edges = hexagons_.edges,
               .cells = hexagons_.cells,
               .levels = levels_.levels(),
               .edge_cells = rows(hexagons_.edge_cells),
               .velocity = state[Air::velocity].data(),
               .theta = theta_.data(),
               .mass = mass_.data(),
               .mass_b = levels_.face_b.data(),
               .gravity = gravity_m_s2,
               .owned = all_cells_.data(),
               .owned_parts = 1,
               .owned_edges = owned_edges_.data(),
               .owned_edges_parts = 1,
               .convergence = convergence_.data(),
               .vertical_flux = vertical_flux_.data(),
               .momentum_flux = momentum_flux_.data(),
               .velocity_tendency = tendency[Air::velocity].data(),
               .theta_tendency = tendency[Air::theta_mass].data(),
               .pressure_tendency = tendency[Air::surface_pressure].data()});
}

void PrimitiveDynamics::add_hyperdiffusion(State& tendency) {
  ::add_hyperdiffusion({.edges = hexagons_.edges,
                        .cells = hexagons_.cells,
                        .levels = levels_.levels(),
                        .curvature_of_curvature = velocity_forcing_.data(),
                        .scalar_forcing = theta_forcing_.data(),
                        .strength = strength_m4_s_,
                        .owned_edges = owned_edges_.data(),
                        .owned_edges_parts = 1,
                        .owned = owned_cells_.data(),
                        .owned_parts = 1,
                        .velocity_tendency = tendency[Air::velocity].data(),
                        .scalar_tendency = tendency[Air::theta_mass].data()});
}

}  // namespace thalweg::mini
