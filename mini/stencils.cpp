// SPDX-License-Identifier: Apache-2.0
// Computes the stencils: TRiSK weights from kite areas, divergence, circulation and averages.
#include "stencils.hpp"

#include <cmath>

#include "constants.hpp"

namespace thalweg::mini {
namespace {

/// Area of the kite that cell `cell` and vertex `vertex` share, m2.
double kite_area_m2(const Mesh& mesh, int cell, int vertex) {
  for (int j = 0; j < 3; ++j)
    if (mesh.cell_vertices[cell][j] == vertex) return mesh.kite_area_m2[cell][j];
  return 0.0;
}

/// Does this rank hold all edges and cells around the vertex?
bool complete(const Mesh& mesh, int vertex) {
  for (int j = 0; j < mesh.vertex_degree[vertex]; ++j)
    if (mesh.vertex_edges[vertex][j] < 0 || mesh.vertex_cells[vertex][j] < 0) return false;
  return mesh.vertex_area_m2[vertex] > 0.0;
}

/// The part of the edge's ring that lies about one of its two vertices, appended at `slot`.
///
/// Thuburn et al. 2009, with R = share of the hexagon in each of its cells: walking
/// counter- clockwise about hexagon i from edge e to edge e', w_ee' = n_ei n_e'i (sum of R passed -
/// 1/2), where n_ei = +1 if t_e points out of the hexagon. Antisymmetric because the R of a hexagon
/// sum to 1, so the Coriolis force does no work. The sign here makes F_perp the component along n_e
/// = -k x t_e.
int append_ring(const Mesh& mesh, int edge, int vertex, int slot, Stencils& stencils) {
  const int degree = mesh.vertex_degree[vertex];
  int first = 0;
  while (mesh.vertex_edges[vertex][first] != edge) ++first;
  const double own_sign = mesh.vertex_edge_sign[vertex][first];
  double share = 0.0;
  for (int step = 1; step < degree; ++step) {
    const int cell = mesh.vertex_cells[vertex][(first + step - 1) % degree];
    share += kite_area_m2(mesh, cell, vertex) / mesh.vertex_area_m2[vertex];
    const int j = (first + step) % degree;
    const int other = mesh.vertex_edges[vertex][j];
    const double weight = own_sign * mesh.vertex_edge_sign[vertex][j] * (share - 0.5);
    stencils.edge_ring[edge][slot] = other;
    stencils.perpendicular_weight[edge][slot] =
        weight * mesh.dual_edge_length_m[other] / mesh.edge_length_m[edge];
    ++slot;
  }
  return slot;
}

void build_edges(const Mesh& mesh, Stencils& s) {
  const int edges = mesh.edge.total();
  s.edge_vertices = mesh.edge_vertices;
  s.edge_cells = mesh.edge_cells;
  s.edge_ring.resize(edges);
  s.perpendicular_weight.assign(edges, {});
  s.inverse_edge_length.resize(edges);
  s.inverse_face_length.resize(edges);
  for (int e = 0; e < edges; ++e) {
    auto& [c0, c1] = s.edge_cells[e];
    s.inverse_edge_length[e] = 1.0 / mesh.edge_length_m[e];
    const bool inner = c0 >= 0 && c1 >= 0;
    s.inverse_face_length[e] = inner ? 1.0 / mesh.dual_edge_length_m[e] : 0.0;
    if (c0 < 0) c0 = c1;
    if (c1 < 0) c1 = c0;
    s.edge_ring[e].fill(e);
    const auto [v0, v1] = mesh.edge_vertices[e];
    if (!complete(mesh, v0) || !complete(mesh, v1)) continue;
    append_ring(mesh, e, v1, append_ring(mesh, e, v0, 0, s), s);
  }
}

void build_cells(const Mesh& mesh, Stencils& s) {
  const int cells = mesh.cell.total();
  s.cell_vertices = mesh.cell_vertices;
  s.cell_edges = mesh.cell_edges;
  s.circulation_weight.resize(cells);
  s.cell_thickness_weight.resize(cells);
  s.cell_coriolis.resize(cells);
  for (int c = 0; c < cells; ++c) {
    for (int j = 0; j < 3; ++j) {
      // c0 lies left of t_e, so t_e runs counter-clockwise about it.
      s.circulation_weight[c][j] = mesh.cell_edge_sign[c][j] *
                                   mesh.edge_length_m[mesh.cell_edges[c][j]] / mesh.cell_area_m2[c];
      s.cell_thickness_weight[c][j] = mesh.kite_area_m2[c][j] / mesh.cell_area_m2[c];
    }
    s.cell_coriolis[c] = 2.0 * rotation_rad_s * mesh.cell_centre[c].z;
  }
}

void build_vertices(const Mesh& mesh, Stencils& s) {
  const int vertices = mesh.vertex.total();
  s.vertex_edges.assign(vertices, {});
  s.vertex_cells.assign(vertices, {});
  s.divergence_weight.assign(vertices, {});
  s.kinetic_weight.assign(vertices, {});
  s.vertex_average_weight.assign(vertices, {});
  for (int v = 0; v < vertices; ++v) {
    if (!complete(mesh, v)) continue;
    const double area_m2 = mesh.vertex_area_m2[v];
    s.vertex_edges[v].fill(mesh.vertex_edges[v][0]);
    s.vertex_cells[v].fill(mesh.vertex_cells[v][0]);
    for (int j = 0; j < mesh.vertex_degree[v]; ++j) {
      const int e = mesh.vertex_edges[v][j];
      s.vertex_edges[v][j] = e;
      s.vertex_cells[v][j] = mesh.vertex_cells[v][j];
      s.divergence_weight[v][j] =
          mesh.vertex_edge_sign[v][j] * mesh.dual_edge_length_m[e] / area_m2;
      s.kinetic_weight[v][j] = mesh.dual_edge_length_m[e] * mesh.edge_length_m[e] / (4.0 * area_m2);
      s.vertex_average_weight[v][j] = kite_area_m2(mesh, mesh.vertex_cells[v][j], v) / area_m2;
    }
  }
}

}  // namespace

Stencils::Stencils(const Mesh& mesh) {
  build_edges(mesh, *this);
  build_cells(mesh, *this);
  build_vertices(mesh, *this);
}

}  // namespace thalweg::mini
