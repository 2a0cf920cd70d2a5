// SPDX-License-Identifier: Apache-2.0
// The edges or vertices a part holds: local order, global numbers, owners, and which cell has
// which.
#pragma once

#include <array>
#include <vector>

#include "decomp/held_cells.hpp"

namespace thalweg {

struct PlaceNumbers {
  PlacePart part;
  std::vector<std::array<int, 3>>
      of_cell;  ///< [held cells][slot] local index; slot = side or label
};

/// `place` is edge or vertex.
PlaceNumbers number_place(const Decomposition& decomposition, const TriangleTree& tree, int part,
                          const HeldCells& held, Place place);

}  // namespace thalweg
