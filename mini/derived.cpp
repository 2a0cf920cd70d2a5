// SPDX-License-Identifier: Apache-2.0
// Weights that turn velocities along edges into eastward and northward wind.
#include "derived.hpp"

#include <cmath>

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
    : mesh(mesh), stencils(stencils), ground_m(ground_m), state(state) {
  east.resize(mesh.cell.total());
  north.resize(mesh.cell.total());
  for (int c = 0; c < mesh.cell.total(); ++c) velocity_weights(mesh, c, east[c], north[c]);
}

}  // namespace thalweg::mini
