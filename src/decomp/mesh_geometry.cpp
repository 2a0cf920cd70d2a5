// SPDX-License-Identifier: Apache-2.0
// Geometry of the local mesh. Every number depends on global data only, never on who computes it.
#include "decomp/mesh_geometry.hpp"

#include "grid/sphere.hpp"

namespace thalweg {
namespace {

constexpr double sphere_m2 = earth_radius_m * earth_radius_m;  // m2 per steradian

/// Positions, and the circumcentres beyond the halo that dual edges at the border need.
/// Returns [edges] the centre of the cell across that is not held.
std::vector<Vec3> place_points(Mesh& mesh, const TriangleTree& tree, const HeldCells& held,
                               const PlaceNumbers& edges, const PlaceNumbers& vertices) {
  std::vector<Vec3> centre_beyond(mesh.edge.global.size());
  mesh.vertex_position.resize(mesh.vertex.global.size());
  mesh.cell_centre.resize(held.global.size());
  TriangleWalker walker(tree), elsewhere(tree);
  for (int cell = 0; cell < held.total(); ++cell) {
    const Triangle& t = walker.at(held.global[cell]);
    mesh.cell_centre[cell] = centre_of(t);
    for (int label = 0; label < 3; ++label)
      mesh.vertex_position[vertices.of_cell[cell][label]] = t.corner[label];
    for (int side = 0; side < 3; ++side) {
      const int edge = edges.of_cell[cell][side];
      if (mesh.edge_cells[edge][0] < 0 || mesh.edge_cells[edge][1] < 0)
        centre_beyond[edge] = centre_of(elsewhere.at(t.across[side].triangle));
    }
  }
  return centre_beyond;
}

void measure_edges(Mesh& mesh, const std::vector<Vec3>& centre_beyond) {
  const std::size_t edges = mesh.edge.global.size();
  mesh.edge_centre.resize(edges);
  mesh.edge_tangent.resize(edges);
  mesh.edge_normal.resize(edges);
  mesh.edge_length_m.resize(edges);
  mesh.dual_edge_length_m.resize(edges);
  for (std::size_t edge = 0; edge < edges; ++edge) {
    const Vec3& begin = mesh.vertex_position[mesh.edge_vertices[edge][0]];
    const Vec3& end = mesh.vertex_position[mesh.edge_vertices[edge][1]];
    const auto centre = [&](int cell) {
      return cell < 0 ? centre_beyond[edge] : mesh.cell_centre[cell];
    };
    mesh.edge_centre[edge] = midpoint(begin, end);
    mesh.edge_tangent[edge] = normalised(end - begin);  // the chord is parallel to the arc's middle
    mesh.edge_normal[edge] = normalised(cross(mesh.edge_tangent[edge], mesh.edge_centre[edge]));
    mesh.edge_length_m[edge] = arc_rad(begin, end) * earth_radius_m;
    mesh.dual_edge_length_m[edge] =
        arc_rad(centre(mesh.edge_cells[edge][0]), centre(mesh.edge_cells[edge][1])) *
        earth_radius_m;
  }
}

/// A kite joins a corner, the middles of its two sides and the circumcentre; the three kites of a
/// cell cover it, and the kites around a vertex are its hexagon.
void measure_cells(Mesh& mesh) {
  const std::size_t cells = mesh.cell.global.size();
  mesh.cell_area_m2.resize(cells);
  mesh.kite_area_m2.resize(cells);
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const auto corner = [&](int j) {
      return mesh.vertex_position[mesh.cell_vertices[cell][j % 3]];
    };
    const auto middle = [&](int j) { return mesh.edge_centre[mesh.cell_edges[cell][j % 3]]; };
    const Vec3& centre = mesh.cell_centre[cell];
    mesh.cell_area_m2[cell] = sphere_m2 * triangle_area_sr(corner(0), corner(1), corner(2));
    for (int j = 0; j < 3; ++j)
      mesh.kite_area_m2[cell][j] = sphere_m2 * (triangle_area_sr(corner(j), middle(j), centre) +
                                                triangle_area_sr(corner(j), centre, middle(j + 2)));
  }
}

void measure_vertices(Mesh& mesh) {
  const std::size_t vertices = mesh.vertex.global.size();
  mesh.vertex_area_m2.assign(vertices, 0.0);
  for (std::size_t vertex = 0; vertex < vertices; ++vertex) {
    double area_m2 = 0.0;
    bool complete = true;
    for (int i = 0; i < mesh.vertex_degree[vertex]; ++i) {
      const int cell = mesh.vertex_cells[vertex][i];
      if (cell < 0) {
        complete = false;
        break;
      }
      for (int j = 0; j < 3; ++j)
        if (mesh.cell_vertices[cell][j] == static_cast<int>(vertex))
          area_m2 += mesh.kite_area_m2[cell][j];
    }
    if (complete) mesh.vertex_area_m2[vertex] = area_m2;
  }
}

}  // namespace

void measure(Mesh& mesh, const TriangleTree& tree, const HeldCells& held, const PlaceNumbers& edges,
             const PlaceNumbers& vertices) {
  const std::vector<Vec3> centre_beyond = place_points(mesh, tree, held, edges, vertices);
  measure_edges(mesh, centre_beyond);
  measure_cells(mesh);
  measure_vertices(mesh);
}

}  // namespace thalweg
