// SPDX-License-Identifier: Apache-2.0
// Numbers edges and vertices in the order of the cells that own them.
#include "decomp/place_numbers.hpp"

#include <algorithm>
#include <limits>

namespace thalweg {
namespace {

/// A point that another rank owns, seen from a held cell; it gets its local index after sorting.
struct Foreign {
  std::int64_t global;
  int owner, cell, slot;
};

}  // namespace

PlaceNumbers number_place(const Decomposition& decomposition, const TriangleTree& tree, int part,
                          const HeldCells& held, Place place) {
  const auto owner_slot = place == Place::edge ? edge_owner : vertex_owner;
  const auto number = place == Place::edge ? edge_number : vertex_number;
  PlaceNumbers numbers;
  PlacePart& points = numbers.part;
  points.global_size = decomposition.grid().size(place);
  numbers.of_cell.resize(held.global.size());

  // Own points in the order of own cells; an owner comes before every other cell of its point, so
  // its entry is there when it is looked up.
  std::vector<Foreign> foreign;
  TriangleWalker walker(tree), elsewhere(tree);
  for (int i = 0; i < held.total(); ++i) {
    const Triangle& t = walker.at(held.global[i]);
    for (int slot = 0; slot < 3; ++slot) {
      const OwnerSlot owner = owner_slot(t, slot);
      const int rank =
          owner.cell == t.index && i < held.owned ? part : decomposition.part_of(owner.cell);
      if (rank != part) {
        const Triangle& there = owner.cell == t.index ? t : elsewhere.at(owner.cell);
        foreign.push_back({number(there, owner.slot), rank, i, slot});
      } else if (owner.cell != t.index) {
        numbers.of_cell[i][slot] = numbers.of_cell[held.local(owner.cell)][owner.slot];
      } else {
        numbers.of_cell[i][slot] = points.total();
        points.global.push_back(number(t, slot));
      }
    }
  }
  points.owned = points.total();
  points.owner.assign(points.global.size(), part);

  std::sort(foreign.begin(), foreign.end(),
            [](const Foreign& a, const Foreign& b) { return a.global < b.global; });
  for (std::size_t i = 0; i < foreign.size(); ++i) {
    if (i == 0 || foreign[i].global != foreign[i - 1].global) {
      points.global.push_back(foreign[i].global);
      points.owner.push_back(foreign[i].owner);
    }
    numbers.of_cell[foreign[i].cell][foreign[i].slot] = points.total() - 1;
  }

  points.depth.assign(points.global.size(), std::numeric_limits<std::int8_t>::max());
  for (int i = 0; i < held.total(); ++i)
    for (const int point : numbers.of_cell[i])
      points.depth[point] = std::min(points.depth[point], held.depth[i]);
  return numbers;
}

}  // namespace thalweg
