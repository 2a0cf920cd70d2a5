// SPDX-License-Identifier: Apache-2.0
// From the mesh and its stencils to the tables of DYNAMICO's kernels.
#include "primitive/hexagons.hpp"

#include <algorithm>
#include <cmath>

#include "constants.hpp"
#include "primitive/air.hpp"

namespace thalweg::mini {
namespace {

double dot(const Vec3& a, const Vec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

bool is_whole(const Mesh& mesh, int vertex) {
  const auto& held = mesh.vertex_edges[vertex];
  return mesh.vertex_area_m2[vertex] > 0.0 &&
         std::none_of(held.begin(), held.begin() + mesh.vertex_degree[vertex],
                      [](int edge) { return edge < 0; });
}

void build_cells(const Mesh& mesh, Hexagons& hexagons) {
  const int none = hexagons.edges - 1;
  hexagons.cell_edges.resize(hexagons.cells);
  hexagons.outward.assign(hexagons.cells, {});
  hexagons.area_m2.assign(hexagons.cells, 1.0);  // of a part: nothing flows into it
  for (int cell = 0; cell < hexagons.cells; ++cell) {
    hexagons.cell_edges[cell].fill(none);
    if (!is_whole(mesh, cell)) continue;
    hexagons.area_m2[cell] = mesh.vertex_area_m2[cell];
    for (int j = 0; j < mesh.vertex_degree[cell]; ++j) {
      hexagons.cell_edges[cell][j] = mesh.vertex_edges[cell][j];
      hexagons.outward[cell][j] = mesh.vertex_edge_sign[cell][j];
    }
  }
}

/// DYNAMICO's force along the normal is the sum of w F q, ours minus that of
/// perpendicular_weight F q (mini/kernels/shallow_water.py); F is per length there, here it is not.
void build_edges(const Mesh& mesh, const Stencils& stencils, Hexagons& hexagons) {
  hexagons.edge_cells = stencils.edge_vertices;
  hexagons.edge_vertices = stencils.edge_cells;
  hexagons.edge_others = stencils.edge_ring;
  hexagons.length_m = mesh.dual_edge_length_m;
  hexagons.distance_m = mesh.edge_length_m;
  hexagons.weight.assign(hexagons.edges, {});
  for (int edge = 0; edge + 1 < hexagons.edges; ++edge) {
    for (int n = 0; n < ring_size; ++n) {
      const double weight = stencils.perpendicular_weight[edge][n];
      if (weight == 0.0) continue;
      hexagons.weight[edge][n] =
          -weight * mesh.edge_length_m[edge] / mesh.dual_edge_length_m[stencils.edge_ring[edge][n]];
    }
  }
  std::array<int, ring_size> itself;
  itself.fill(hexagons.edges - 1);
  hexagons.edge_cells.push_back({0, 0});
  hexagons.edge_vertices.push_back({0, 0});
  hexagons.edge_others.push_back(itself);
  hexagons.length_m.push_back(0.0);
  hexagons.distance_m.push_back(1.0);
}

void build_vertices(const Mesh& mesh, const Stencils& stencils, Hexagons& hexagons) {
  hexagons.vertex_cells = mesh.cell_vertices;
  hexagons.vertex_edges = mesh.cell_edges;
  hexagons.overlap = stencils.cell_thickness_weight;
  hexagons.dual_area_m2 = mesh.cell_area_m2;
  hexagons.around.resize(hexagons.vertices);
  hexagons.coriolis.resize(hexagons.vertices);
  for (int vertex = 0; vertex < hexagons.vertices; ++vertex) {
    // c0 lies left of t_e, so t_e runs counter-clockwise about it.
    for (int j = 0; j < 3; ++j) hexagons.around[vertex][j] = mesh.cell_edge_sign[vertex][j];
    hexagons.coriolis[vertex] = 2.0 * earth_rotation_rad_s * mesh.cell_centre[vertex].z;
  }
}

/// l_e (x_e - x) / A, x_e the middle of the face, for the wind at the centres of whole hexagons.
void build_wind_weights(const Mesh& mesh, Hexagons& hexagons) {
  hexagons.eastward_weight.assign(hexagons.cells, {});
  hexagons.northward_weight.assign(hexagons.cells, {});
  for (int cell = 0; cell < hexagons.cells; ++cell) {
    const Vec3& centre = mesh.vertex_position[cell];
    const double longitude = longitude_rad(centre), latitude = latitude_rad(centre);
    const Vec3 east{-std::sin(longitude), std::cos(longitude), 0.0};
    const Vec3 north{-std::sin(latitude) * std::cos(longitude),
                     -std::sin(latitude) * std::sin(longitude), std::cos(latitude)};
    for (int j = 0; j < 6; ++j) {
      const int edge = hexagons.cell_edges[cell][j];
      if (edge + 1 == hexagons.edges) continue;
      const auto [c0, c1] = hexagons.edge_vertices[edge];
      const Vec3 &a = mesh.cell_centre[c0], &b = mesh.cell_centre[c1];
      const Vec3 middle{(a.x + b.x) / 2.0, (a.y + b.y) / 2.0, (a.z + b.z) / 2.0};
      const double factor = hexagons.outward[cell][j] * hexagons.length_m[edge] * earth_radius_m /
                            hexagons.area_m2[cell];
      hexagons.eastward_weight[cell][j] = factor * dot(middle, east);
      hexagons.northward_weight[cell][j] = factor * dot(middle, north);
    }
  }
}

}  // namespace

Hexagons::Hexagons(const Mesh& mesh, const Stencils& stencils)
    : cells(mesh.vertex.total()),
      edges(mesh.edge.total() + 1),
      vertices(mesh.cell.total()),
      owned_cells(mesh.vertex.owned),
      owned_edges(mesh.edge.owned) {
  const double area = 4.0 * pi * earth_radius_m * earth_radius_m /
                      static_cast<double>(mesh.grid.vertices());  // of a hexagon, m2
  mean_distance_m = std::sqrt(2.0 / std::sqrt(3.0) * area);
  build_cells(mesh, *this);
  build_edges(mesh, stencils, *this);
  build_vertices(mesh, stencils, *this);
  build_wind_weights(mesh, *this);
}

}  // namespace thalweg::mini
