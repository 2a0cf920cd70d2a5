// SPDX-License-Identifier: Apache-2.0
// The local mesh as DYNAMICO's kernels see it: hexagons are their cells, triangles their vertices.
#pragma once

#include <array>
#include <vector>

#include "stencils.hpp"
#include "thalweg/grid.hpp"

namespace thalweg::mini {

/// Tables, signs and weights in the words of python/thalweg/dsl/grids/hexagons.py. The normal of an
/// edge is the mesh's t_e. Behind the edges of the mesh lies one more, of length 0, without flow:
/// the sixth of a pentagon and all six of a hexagon that this rank holds a part of.
struct Hexagons {
  Hexagons(const Mesh& mesh, const Stencils& stencils);

  int cells, edges, vertices;  ///< edges: with the one more
  int owned_cells, owned_edges;
  double mean_distance_m;  ///< of two hexagons, were all of them regular

  std::vector<std::array<int, 6>> cell_edges;                            ///< [cells]
  std::vector<std::array<int, 2>> edge_cells, edge_vertices;             ///< [edges]
  std::vector<std::array<int, ring_size>> edge_others;                   ///< [edges]
  std::vector<std::array<int, 3>> vertex_cells, vertex_edges;            ///< [vertices]
  std::vector<std::array<double, 6>> outward;                            ///< [cells] +-1, or 0
  std::vector<std::array<double, 3>> around;                             ///< [vertices] +-1
  std::vector<std::array<double, 3>> overlap;                            ///< [vertices] shares
  std::vector<std::array<double, ring_size>> weight;                     ///< [edges] TRiSK's w
  std::vector<double> length_m;                                          ///< [edges] of the face
  std::vector<double> distance_m;                                        ///< [edges] of the centres
  std::vector<double> area_m2;                                           ///< [cells]
  std::vector<double> dual_area_m2;                                      ///< [vertices]
  std::vector<double> coriolis;                                          ///< [vertices] s-1
  std::vector<std::array<double, 6>> eastward_weight, northward_weight;  ///< [cells] hexagon_wind
};

}  // namespace thalweg::mini
