// SPDX-License-Identifier: Apache-2.0
// Rings inside the part follow from its own tables; at its outer border the tree is asked.
#include "decomp/vertex_rings.hpp"

#include <algorithm>

namespace thalweg {
namespace {

/// One cell of a ring and the edge on its clockwise side: local and global indices.
struct RingStep {
  std::int64_t edge_global;
  int edge, cell;
};

struct Ring {
  std::array<RingStep, 6> step{};
  int size = 0;
  void add(const RingStep& next) { step[size++] = next; }
};

/// Walks around corner j of a held cell by local tables. False when the ring leaves the part.
bool walk_locally(const Mesh& mesh, int cell, int j, Ring& ring) {
  const int first = cell, vertex = mesh.cell_vertices[cell][j];
  do {
    const int edge = mesh.cell_edges[cell][j];
    ring.add({mesh.edge.global[edge], edge, cell});
    cell = mesh.cell_cells[cell][(j + 2) % 3];
    if (cell < 0) return false;
    const auto& around = mesh.cell_vertices[cell];
    j = static_cast<int>(std::find(around.begin(), around.end(), vertex) - around.begin());
  } while (cell != first);
  return true;
}

/// The same from the tree; cells and edges that are not held are -1.
Ring walk_tree(const Mesh& mesh, TriangleWalker& walker, TriangleWalker& owners,
               const HeldCells& held, int cell, int j) {
  const auto find = [](const std::vector<std::int64_t>& global, int begin, int end,
                       std::int64_t value) {
    const auto found = std::lower_bound(global.begin() + begin, global.begin() + end, value);
    return found != global.begin() + end && *found == value
               ? static_cast<int>(found - global.begin())
               : -1;
  };
  Ring ring;
  const std::int64_t start = held.global[cell];
  const int start_label = walker.at(start).label_at(j);
  visit_ring(walker, start, start_label, [&](const Triangle& t, int label) {
    const int side = t.counter_clockwise ? label : (label + 2) % 3;
    const OwnerSlot owner = edge_owner(t, side);
    const std::int64_t global = edge_number(owners.at(owner.cell), owner.slot);
    int edge = find(mesh.edge.global, 0, mesh.edge.owned, global);
    if (edge < 0) edge = find(mesh.edge.global, mesh.edge.owned, mesh.edge.total(), global);
    ring.add({global, edge, held.local(t.index)});
  });
  return ring;
}

}  // namespace

void connect_vertices(Mesh& mesh, const TriangleTree& tree, const HeldCells& held) {
  const std::size_t vertices = mesh.vertex.global.size();
  mesh.vertex_degree.assign(vertices, 0);
  mesh.vertex_edges.assign(vertices, {-1, -1, -1, -1, -1, -1});
  mesh.vertex_cells.assign(vertices, {-1, -1, -1, -1, -1, -1});
  mesh.vertex_edge_sign.assign(vertices, {0, 0, 0, 0, 0, 0});
  TriangleWalker walker(tree), owners(tree);
  for (int cell = 0; cell < held.total(); ++cell) {
    for (int j = 0; j < 3; ++j) {
      const int vertex = mesh.cell_vertices[cell][j];
      if (mesh.vertex_degree[vertex] != 0) continue;
      Ring ring;
      if (!walk_locally(mesh, cell, j, ring)) ring = walk_tree(mesh, walker, owners, held, cell, j);
      const auto begin = ring.step.begin(), end = begin + ring.size;
      std::rotate(begin,
                  std::min_element(begin, end,
                                   [](const RingStep& a, const RingStep& b) {
                                     return a.edge_global < b.edge_global;
                                   }),
                  end);
      mesh.vertex_degree[vertex] = static_cast<std::int8_t>(ring.size);
      for (int i = 0; i < ring.size; ++i) {
        const int edge = ring.step[i].edge;
        mesh.vertex_edges[vertex][i] = edge;
        mesh.vertex_cells[vertex][i] = ring.step[i].cell;
        if (edge >= 0)
          mesh.vertex_edge_sign[vertex][i] = mesh.edge_vertices[edge][0] == vertex ? 1 : -1;
      }
    }
  }
}

}  // namespace thalweg
