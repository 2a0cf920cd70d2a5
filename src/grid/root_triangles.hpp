// SPDX-License-Identifier: Apache-2.0
// The 20 r^2 root triangles (r odd) of an icosahedral grid, in the order of the space-filling
// curve.
#pragma once

#include <array>
#include <vector>

#include "thalweg/grid.hpp"

namespace thalweg {

/// Corners are numbered over the whole sphere: two triangles touch where they share a number.
struct RootTriangles {
  std::vector<Vec3> point;  ///< [10 r^2 + 2] unit vectors
  std::vector<std::array<int, 3>>
      triangle;  ///< [20 r^2] points of the labels A (entry), B (exit), C
};

/// Divides every face of the icosahedron (tilted, decision 0005) into r^2 triangles. The
/// exit B of each is the entry A of the next.
RootTriangles make_root_triangles(int r);

}  // namespace thalweg
