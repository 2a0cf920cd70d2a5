// SPDX-License-Identifier: Apache-2.0
// Neighbour tables and weights of the discrete operators, computed once from the local mesh.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "thalweg/grid.hpp"

namespace thalweg::mini {

inline constexpr int ring_size =
    10;  ///< edges around both hexagons of an edge, without itself (9 beside a pentagon)

/// The C-grid seen from the mesh: mass on vertices (hexagons), velocity u on edges along t_e
/// (through the hexagon's face), vorticity on cells (triangles). l = face (dual edge) length, d =
/// edge length.
///
/// Every table is padded with a valid index and weight 0 where a neighbour does not exist or is not
/// held here, so kernels loop without branches; points whose stencil is incomplete lie in the halo
/// and their results are never used by owned points. Orders are those of Mesh, the same on every
/// rank.
struct Stencils {
  explicit Stencils(const Mesh& mesh);

  std::vector<std::array<int, 2>> edge_vertices;  ///< [edges] (v0, v1)
  std::vector<std::array<int, 2>>
      edge_cells;  ///< [edges] (c0, c1); at the rim the missing one repeats the other
  std::vector<std::array<int, ring_size>>
      edge_ring;  ///< [edges] counter-clockwise about v0, then about v1
  std::vector<std::array<double, ring_size>> perpendicular_weight;  ///< [edges] w_ee' l_e' / d_e
  std::vector<double> inverse_edge_length;                          ///< [edges] 1 / d_e, m-1
  std::vector<double> inverse_face_length;                          ///< [edges] 1 / l_e, m-1

  std::vector<std::array<int, 3>> cell_vertices, cell_edges;  ///< [cells]
  std::vector<std::array<double, 3>> circulation_weight;      ///< [cells] +-d_e / A_c, m-1
  std::vector<std::array<double, 3>> cell_thickness_weight;   ///< [cells] kite area / A_c
  std::vector<double> cell_coriolis;  ///< [cells] 2 Omega sin(latitude), s-1

  std::vector<std::array<int, 6>> vertex_edges, vertex_cells;  ///< [vertices]
  std::vector<std::array<double, 6>> divergence_weight;        ///< [vertices] +-l_e / A_v, m-1
  std::vector<std::array<double, 6>> kinetic_weight;           ///< [vertices] l_e d_e / (4 A_v)
  std::vector<std::array<double, 6>> vertex_average_weight;    ///< [vertices] kite area / A_v
};

/// A table as kernels take it, one row after the other.
template <typename Value, std::size_t length>
const Value* rows(const std::vector<std::array<Value, length>>& table) {
  return table.empty() ? nullptr : table.front().data();
}

/// How much a kernel computes: points [0, points) and all levels of each. Arrays are
/// level-innermost, value(point, level) = array[point * levels + level].
struct Extent {
  Extent(int point_count, int level_count) : points(point_count), levels(level_count) {}
  std::size_t values() const { return points * levels; }
  std::size_t points, levels;
};

}  // namespace thalweg::mini
