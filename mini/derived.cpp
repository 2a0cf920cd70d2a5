// SPDX-License-Identifier: Apache-2.0
// Calls the kernels behind the output fields.
#include "derived.hpp"

#include <cmath>

#include "kernels/cell_velocity.hpp"
#include "kernels/divergence.hpp"
#include "kernels/edge_potential_vorticity.hpp"
#include "kernels/kinetic_energy.hpp"
#include "kernels/mass_flux.hpp"
#include "kernels/potential_vorticity.hpp"
#include "kernels/ratio.hpp"
#include "kernels/relative_vorticity.hpp"
#include "kernels/tangential_velocity.hpp"

namespace thalweg::mini {
namespace {

double dot(const Vec3& a, const Vec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

}  // namespace

Derived::Derived(const Mesh& mesh, const Stencils& stencils, std::span<const double> ground_m,
                 const State& state)
    : mesh_(mesh), stencils_(stencils), ground_m_(ground_m), state_(state) {
  east_.resize(mesh.cell.total());
  north_.resize(mesh.cell.total());
  for (int c = 0; c < mesh.cell.total(); ++c) {
    const double longitude = longitude_rad(mesh.cell_centre[c]),
                 latitude = latitude_rad(mesh.cell_centre[c]);
    const Vec3 east{-std::sin(longitude), std::cos(longitude), 0.0};
    const Vec3 north{-std::sin(latitude) * std::cos(longitude),
                     -std::sin(latitude) * std::sin(longitude), std::cos(latitude)};
    for (int j = 0; j < 3; ++j) {
      const int e = mesh.cell_edges[c][j];
      east_[c][j] = dot(mesh.edge_tangent[e], east) / 3.0;
      east_[c][3 + j] = dot(mesh.edge_normal[e], east) / 3.0;
      north_[c][j] = dot(mesh.edge_tangent[e], north) / 3.0;
      north_[c][3 + j] = dot(mesh.edge_normal[e], north) / 3.0;
    }
  }
}

template <typename Compute>
Derived::Values Derived::once(const std::string& name, int points, const Compute& compute) {
  std::vector<double>& values = values_[name];
  bool& made = made_[name];
  if (!made) {
    values.resize(static_cast<std::size_t>(points) * state_.levels);
    compute(Extent{points, state_.levels}, std::span<double>(values));
    made = true;
  }
  return values;
}

Derived::Values Derived::thickness() { return state_.thickness; }
Derived::Values Derived::velocity() { return state_.velocity; }
Derived::Values Derived::ground() { return ground_m_; }
Derived::Values Derived::coriolis() { return stencils_.cell_coriolis; }

Derived::Values Derived::tracer() {
  return once("tracer", mesh_.vertex.total(), [&](Extent extent, std::span<double> out) {
    ratio(extent, state_.tracer_mass[0], state_.thickness, out);
  });
}

Derived::Values Derived::kinetic_energy() {
  return once("kinetic_energy", mesh_.vertex.total(), [&](Extent extent, std::span<double> out) {
    mini::kinetic_energy(extent, stencils_.vertex_edges, stencils_.kinetic_weight, state_.velocity,
                         out);
  });
}

Derived::Values Derived::divergence() {
  return once("divergence", mesh_.vertex.total(), [&](Extent extent, std::span<double> out) {
    mini::divergence(extent, stencils_.vertex_edges, stencils_.divergence_weight, state_.velocity,
                     1.0, out);
  });
}

Derived::Values Derived::tangential_velocity() {
  return once("tangential_velocity", mesh_.edge.total(), [&](Extent extent, std::span<double> out) {
    mini::tangential_velocity(extent, stencils_.edge_ring, stencils_.perpendicular_weight,
                              state_.velocity, out);
  });
}

Derived::Values Derived::mass_flux() {
  return once("mass_flux", mesh_.edge.total(), [&](Extent extent, std::span<double> out) {
    mini::mass_flux(extent, stencils_.edge_vertices, state_.thickness, state_.velocity, out);
  });
}

Derived::Values Derived::relative_vorticity() {
  return once("relative_vorticity", mesh_.cell.total(), [&](Extent extent, std::span<double> out) {
    mini::relative_vorticity(extent, stencils_.cell_edges, stencils_.circulation_weight,
                             state_.velocity, out);
  });
}

Derived::Values Derived::potential_vorticity() {
  const Values vorticity = relative_vorticity();
  return once("potential_vorticity", mesh_.cell.total(), [&](Extent extent, std::span<double> out) {
    mini::potential_vorticity(extent, stencils_.cell_vertices, stencils_.cell_thickness_weight,
                              stencils_.cell_coriolis, vorticity, state_.thickness, out);
  });
}

Derived::Values Derived::edge_potential_vorticity() {
  const Values values = potential_vorticity();
  return once(
      "edge_potential_vorticity", mesh_.edge.total(), [&](Extent extent, std::span<double> out) {
        const std::vector<double> no_anticipation(out.size(), 0.0);
        mini::edge_potential_vorticity(extent, stencils_.edge_cells, values, no_anticipation, out);
      });
}

Derived::Values Derived::eastward_wind() {
  const Values tangential = tangential_velocity();
  return once("eastward_wind", mesh_.cell.total(), [&](Extent extent, std::span<double> out) {
    cell_velocity(extent, stencils_.cell_edges, east_, state_.velocity, tangential, out);
  });
}

Derived::Values Derived::northward_wind() {
  const Values tangential = tangential_velocity();
  return once("northward_wind", mesh_.cell.total(), [&](Extent extent, std::span<double> out) {
    cell_velocity(extent, stencils_.cell_edges, north_, state_.velocity, tangential, out);
  });
}

}  // namespace thalweg::mini
