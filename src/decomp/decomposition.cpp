// SPDX-License-Identifier: Apache-2.0
// The two ways of dealing cells to ranks: ranges of the curve, and geometric bisection.
#include "thalweg/decomposition.hpp"

#include <algorithm>

#include "decomp/bisection.hpp"
#include "grid/triangle_tree.hpp"
#include "thalweg/error.hpp"

namespace thalweg {
namespace {

// Bisection deals blocks, the triangles of one level of the tree, because every rank does it alone.
// Up to R2B6 (327680 cells, a tenth of a second) a block is one cell. A part gets 64 blocks at
// least where there are as many, so that parts differ by less than 2 per cent on finer grids.
constexpr std::int64_t block_limit = 330'000;
constexpr std::int64_t blocks_per_part = 64;

}  // namespace

struct Decomposition::State {
  Grid grid;
  int parts;
  bool bisected;
  int block_shift = 0;             // cells of a block = 2^block_shift
  std::vector<int> part_of_block;  // bisection only

  /// First cell of a part of the curve: parts differ by one cell at most.
  std::int64_t begin(int part) const { return grid.cells() * part / parts; }

  void bisect_blocks() {
    const TriangleTree tree(grid);
    const std::int64_t limit = std::max(block_limit, blocks_per_part * parts);
    int level = 0;
    while (level < tree.depth() && tree.size(level + 1) <= limit) ++level;
    block_shift = 2 * (tree.depth() - level);
    std::vector<Vec3> centres;
    centres.reserve(tree.size(level));
    TriangleWalker walker(tree, level);
    for (std::int64_t block = 0; block < tree.size(level); ++block)
      centres.push_back(centre_of(walker.at(block)));
    part_of_block = bisect(centres, parts);
  }
};

const std::vector<std::string>& Decomposition::kinds() {
  static const std::vector<std::string> names{"curve", "bisection"};
  return names;
}

Decomposition::Decomposition(const Grid& grid, int parts, std::string_view kind) {
  const std::string name(kind);
  if (std::find(kinds().begin(), kinds().end(), name) == kinds().end())
    throw Error(Blame::user, "decomposition '" + name +
                                 "' does not exist; choose one of: curve, bisection." +
                                 did_you_mean(name, kinds()));
  if (parts < 1)
    throw Error(Blame::user, "decomposition into '" + std::to_string(parts) +
                                 "' parts is impossible: ask for 1 or more.");
  auto state = std::make_shared<State>(State{grid, parts, name == "bisection", 0, {}});
  if (state->bisected) state->bisect_blocks();
  state_ = std::move(state);
}

int Decomposition::parts() const { return state_->parts; }
const Grid& Decomposition::grid() const { return state_->grid; }

int Decomposition::part_of(std::int64_t cell) const {
  const State& s = *state_;
  if (s.bisected) return s.part_of_block[cell >> s.block_shift];
  return static_cast<int>(((cell + 1) * s.parts - 1) / s.grid.cells());
}

std::vector<CellRange> Decomposition::cells_of(int part) const {
  const State& s = *state_;
  if (!s.bisected) {
    if (s.begin(part) == s.begin(part + 1)) return {};
    return {{s.begin(part), s.begin(part + 1)}};
  }
  std::vector<CellRange> ranges;
  const std::int64_t cells = std::int64_t{1} << s.block_shift;
  for (std::size_t block = 0; block < s.part_of_block.size(); ++block) {
    if (s.part_of_block[block] != part) continue;
    const std::int64_t begin = static_cast<std::int64_t>(block) * cells;
    if (ranges.empty() || ranges.back().end != begin) ranges.push_back({begin, begin});
    ranges.back().end = begin + cells;
  }
  return ranges;
}

}  // namespace thalweg
