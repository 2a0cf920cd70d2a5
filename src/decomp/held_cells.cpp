// SPDX-License-Identifier: Apache-2.0
// Finds the halo from the border of a part: only cells at the border cost a descent of the tree.
#include "decomp/held_cells.hpp"

#include <algorithm>

namespace thalweg {
namespace {

void sort_unique(std::vector<std::int64_t>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

int HeldCells::local(std::int64_t cell) const {
  const auto after =
      std::upper_bound(ranges.begin(), ranges.end(), cell,
                       [](std::int64_t c, const CellRange& r) { return c < r.begin; });
  if (after != ranges.begin() && cell < (after - 1)->end)
    return range_begin[after - 1 - ranges.begin()] + static_cast<int>(cell - (after - 1)->begin);
  const auto found = std::lower_bound(global.begin() + owned, global.end(), cell);
  return found != global.end() && *found == cell ? static_cast<int>(found - global.begin()) : -1;
}

HeldCells find_held_cells(const Decomposition& decomposition, const TriangleTree& tree, int part,
                          int halo_depth) {
  HeldCells held;
  held.ranges = decomposition.cells_of(part);
  for (const CellRange& range : held.ranges) {
    held.range_begin.push_back(static_cast<int>(held.global.size()));
    for (std::int64_t cell = range.begin; cell < range.end; ++cell) held.global.push_back(cell);
  }
  held.owned = held.total();

  // A vertex between held and other cells ends an edge between a held and another cell, and that
  // held cell was added last: so each shell follows from the edges of the one before.
  std::vector<std::int64_t> shell = held.global;  // cells of depth d - 1, ascending
  std::vector<std::pair<std::int64_t, std::int8_t>> halo;
  TriangleWalker walker(tree), around(tree);
  for (int depth = 1; depth <= halo_depth; ++depth) {
    std::vector<std::int64_t> known;  // halo so far, ascending
    for (const auto& [cell, its_depth] : halo) known.push_back(cell);
    sort_unique(known);
    const auto is_held = [&](std::int64_t cell) {
      return decomposition.part_of(cell) == part ||
             std::binary_search(known.begin(), known.end(), cell);
    };
    std::vector<std::int64_t> next;
    for (const std::int64_t cell : shell) {
      const Triangle& t = walker.at(cell);
      std::array<bool, 3> at_border{};  // [label]
      for (int side = 0; side < 3; ++side)
        if (!is_held(t.across[side].triangle)) at_border[side] = at_border[next_label(side)] = true;
      for (int label = 0; label < 3; ++label)
        if (at_border[label])
          visit_ring(around, cell, label, [&](const Triangle& other, int) {
            if (!is_held(other.index)) next.push_back(other.index);
          });
    }
    sort_unique(next);
    for (const std::int64_t cell : next) halo.emplace_back(cell, static_cast<std::int8_t>(depth));
    shell = std::move(next);
  }

  std::sort(halo.begin(), halo.end());
  held.depth.assign(held.global.size(), 0);
  for (const auto& [cell, depth] : halo) {
    held.global.push_back(cell);
    held.depth.push_back(depth);
  }
  return held;
}

}  // namespace thalweg
