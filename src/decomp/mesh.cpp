// SPDX-License-Identifier: Apache-2.0
// Builds the mesh of one part: cells held, points numbered, connected, measured.
#include "decomp/held_cells.hpp"
#include "decomp/mesh_geometry.hpp"
#include "decomp/place_numbers.hpp"
#include "decomp/vertex_rings.hpp"
#include "grid/triangle_tree.hpp"
#include "thalweg/decomposition.hpp"
#include "thalweg/error.hpp"

namespace thalweg {
namespace {

PlacePart cell_part(const Decomposition& decomposition, const HeldCells& held) {
  PlacePart part;
  part.global_size = decomposition.grid().cells();
  part.owned = held.owned;
  part.global = held.global;
  part.depth = held.depth;
  for (const std::int64_t cell : held.global) part.owner.push_back(decomposition.part_of(cell));
  return part;
}

/// Cells and edges: an edge runs from its lower to its higher global vertex, c0 on its left.
void connect_cells(Mesh& mesh, const TriangleTree& tree, const HeldCells& held,
                   const PlaceNumbers& edges, const PlaceNumbers& vertices) {
  const std::size_t cells = held.global.size();
  mesh.cell_vertices.resize(cells);
  mesh.cell_edges.resize(cells);
  mesh.cell_cells.resize(cells);
  mesh.cell_edge_sign.resize(cells);
  mesh.edge_vertices.resize(mesh.edge.global.size());
  mesh.edge_cells.assign(mesh.edge.global.size(), {-1, -1});
  TriangleWalker walker(tree);
  for (int cell = 0; cell < held.total(); ++cell) {
    const Triangle& t = walker.at(held.global[cell]);
    for (int j = 0; j < 3; ++j) {
      const int label = t.label_at(j), next = t.label_at((j + 1) % 3),
                side = side_between(label, next);
      const int from = vertices.of_cell[cell][label], to = vertices.of_cell[cell][next];
      const int edge = edges.of_cell[cell][side];
      const bool along = mesh.vertex.global[from] < mesh.vertex.global[to];
      mesh.cell_vertices[cell][j] = from;
      mesh.cell_edges[cell][j] = edge;
      mesh.cell_edge_sign[cell][j] = along ? 1 : -1;
      mesh.edge_vertices[edge] = along ? std::array{from, to} : std::array{to, from};
      mesh.edge_cells[edge][along ? 0 : 1] = cell;
    }
  }
  for (int cell = 0; cell < held.total(); ++cell)
    for (int j = 0; j < 3; ++j)
      mesh.cell_cells[cell][j] =
          mesh.edge_cells[mesh.cell_edges[cell][j]][mesh.cell_edge_sign[cell][j] > 0 ? 1 : 0];
}

}  // namespace

Mesh build_mesh(const Decomposition& decomposition, int part, int halo_depth) {
  if (part < 0 || part >= decomposition.parts() || halo_depth < 0)
    throw Error(Blame::bug, "build_mesh was asked for part '" + std::to_string(part) + "' of '" +
                                std::to_string(decomposition.parts()) + "' with halo depth '" +
                                std::to_string(halo_depth) + "': please report this.");
  const TriangleTree tree(decomposition.grid());
  const HeldCells held = find_held_cells(decomposition, tree, part, halo_depth);
  const PlaceNumbers edges = number_place(decomposition, tree, part, held, Place::edge);
  const PlaceNumbers vertices = number_place(decomposition, tree, part, held, Place::vertex);
  Mesh mesh;
  mesh.grid = decomposition.grid();
  mesh.cell = cell_part(decomposition, held);
  mesh.edge = edges.part;
  mesh.vertex = vertices.part;
  connect_cells(mesh, tree, held, edges, vertices);
  connect_vertices(mesh, tree, held);
  measure(mesh, tree, held, edges, vertices);
  return mesh;
}

}  // namespace thalweg
