// SPDX-License-Identifier: Apache-2.0
// Positions, directions, lengths and areas of a connected mesh.
#pragma once

#include "decomp/held_cells.hpp"
#include "decomp/place_numbers.hpp"

namespace thalweg {

/// Fills the geometry of a mesh whose connectivity is complete. `edges` and `vertices` tell the
/// points of each held cell by side and label.
void measure(Mesh& mesh, const TriangleTree& tree, const HeldCells& held, const PlaceNumbers& edges,
             const PlaceNumbers& vertices);

}  // namespace thalweg
