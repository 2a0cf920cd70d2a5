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

/// Weights a_e of cell_velocity for the eastward and northward component. In the plane that touches
/// the sphere at the centre (x east, y north), with L_j the barycentric coordinate of vertex j, the
/// edge from j to j + 1 contributes u_e d_e (L_j grad L_j+1 - L_j+1 grad L_j), u_e counted
/// counter-clockwise.
void velocity_weights(const Mesh& mesh, int cell, std::array<double, 3>& east,
                      std::array<double, 3>& north) {
  const double longitude = longitude_rad(mesh.cell_centre[cell]);
  const double latitude = latitude_rad(mesh.cell_centre[cell]);
  const Vec3 eastward{-std::sin(longitude), std::cos(longitude), 0.0};
  const Vec3 northward{-std::sin(latitude) * std::cos(longitude),
                       -std::sin(latitude) * std::sin(longitude), std::cos(latitude)};
  std::array<double, 3> x, y;  // of the vertices, radians
  for (int j = 0; j < 3; ++j) {
    x[j] = dot(mesh.vertex_position[mesh.cell_vertices[cell][j]], eastward);
    y[j] = dot(mesh.vertex_position[mesh.cell_vertices[cell][j]], northward);
  }
  const double twice_area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
  std::array<double, 3> share, gradient_x, gradient_y;  // L_j at the centre, and grad L_j
  for (int j = 0; j < 3; ++j) {
    const int next = (j + 1) % 3, last = (j + 2) % 3;
    share[j] = (x[next] * y[last] - x[last] * y[next]) / twice_area;
    gradient_x[j] = (y[next] - y[last]) / twice_area;
    gradient_y[j] = (x[last] - x[next]) / twice_area;
  }
  for (int j = 0; j < 3; ++j) {
    const int next = (j + 1) % 3;
    const double length = mesh.cell_edge_sign[cell][j] *
                          mesh.edge_length_m[mesh.cell_edges[cell][j]] / earth_radius_m;
    east[j] = length * (share[j] * gradient_x[next] - share[next] * gradient_x[j]);
    north[j] = length * (share[j] * gradient_y[next] - share[next] * gradient_y[j]);
  }
}

}  // namespace

Derived::Derived(const Mesh& mesh, const Stencils& stencils, std::span<const double> ground_m,
                 const State& state)
    : mesh_(mesh), stencils_(stencils), ground_m_(ground_m), state_(state) {
  east_.resize(mesh.cell.total());
  north_.resize(mesh.cell.total());
  for (int c = 0; c < mesh.cell.total(); ++c) velocity_weights(mesh, c, east_[c], north_[c]);
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
  return once("eastward_wind", mesh_.cell.total(), [&](Extent extent, std::span<double> out) {
    cell_velocity(extent, stencils_.cell_edges, east_, state_.velocity, out);
  });
}

Derived::Values Derived::northward_wind() {
  return once("northward_wind", mesh_.cell.total(), [&](Extent extent, std::span<double> out) {
    cell_velocity(extent, stencils_.cell_edges, north_, state_.velocity, out);
  });
}

}  // namespace thalweg::mini
