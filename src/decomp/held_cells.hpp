// SPDX-License-Identifier: Apache-2.0
// Which cells a part holds: its own, and the halo around them.
#pragma once

#include <cstdint>
#include <vector>

#include "grid/triangle_tree.hpp"
#include "thalweg/decomposition.hpp"

namespace thalweg {

/// Cells of one part by local index: [0, owned) its own, then the halo, both ascending.
struct HeldCells {
  std::vector<std::int64_t> global;  ///< [total]
  std::vector<std::int8_t> depth;    ///< [total] 0 = owned
  int owned = 0;
  std::vector<CellRange> ranges;  ///< the owned cells
  std::vector<int> range_begin;   ///< [ranges] local index of the first cell

  int total() const { return static_cast<int>(global.size()); }
  int local(std::int64_t cell) const;  ///< -1 = not held
};

HeldCells find_held_cells(const Decomposition& decomposition, const TriangleTree& tree, int part,
                          int halo_depth);

/// Calls visit(triangle, label) for every cell around the vertex `label` of `cell`,
/// counter-clockwise from that cell. `visit` may not use the walker.
template <class Visit>
void visit_ring(TriangleWalker& walker, std::int64_t cell, int label, const Visit& visit) {
  const std::int64_t first = cell;
  do {
    const Triangle& t = walker.at(cell);
    visit(t, label);
    // The side on the counter-clockwise end of this cell's angle leads to the next cell.
    const int previous = (label + 2) % 3;
    const int side = t.counter_clockwise ? previous : label;
    const Across& there = t.across[side];
    label = side == label ? there.first : there.second;
    cell = there.triangle;
  } while (cell != first);
}

}  // namespace thalweg
