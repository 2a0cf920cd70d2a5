// SPDX-License-Identifier: Apache-2.0
// The edges and cells around each vertex, counter-clockwise from the lowest-numbered edge.
#pragma once

#include "decomp/held_cells.hpp"
#include "decomp/place_numbers.hpp"

namespace thalweg {

/// Fills the vertex_* connectivity of a mesh whose cells and edges are connected already.
void connect_vertices(Mesh& mesh, const TriangleTree& tree, const HeldCells& held);

}  // namespace thalweg
