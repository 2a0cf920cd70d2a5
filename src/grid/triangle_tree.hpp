// SPDX-License-Identifier: Apache-2.0
// The grid as a function: any triangle of any level, with its neighbours and global numbers, by
// descent.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "thalweg/grid.hpp"

namespace thalweg {

// Corners of a triangle carry labels: 0 = A, where the curve enters; 1 = B, where it leaves; 2 = C.
// Side s joins the labels s and s + 1: AB, BC, CA. "Number of X before T" = how many X have lower
// global indices than the first one that T, or any cell within T, owns.

constexpr int next_label(int label) { return (label + 1) % 3; }
/// The side between two different labels.
constexpr int side_between(int one, int other) { return next_label(one) == other ? one : other; }

/// One corner of one triangle.
struct CornerOf {
  std::int64_t triangle;
  std::int8_t label;
};

/// What lies across a side: the triangle of the same level, and which of its labels sit at the two
/// ends
/// (`first`: at label s of this side s).
struct Across {
  std::int64_t triangle;
  std::int8_t first, second;
};

/// A triangle of the tree, `levels` bisections above the cells. Indices count triangles of its own
/// level.
struct Triangle {
  std::int64_t index = -1;
  int levels = 0;
  bool counter_clockwise = true;    ///< order of A, B, C seen from outside
  std::array<Vec3, 3> corner{};     ///< [label] unit vectors
  std::array<Across, 3> across{};   ///< [side]
  std::array<CornerOf, 3> owner{};  ///< [label] lowest triangle at that corner, itself included
  std::int64_t edges_before = 0, vertices_before = 0;

  bool owns_side(int side) const { return index < across[side].triangle; }
  bool owns_corner(int label) const { return owner[label].triangle == index; }
  /// Label of corner j counted counter-clockwise from A.
  int label_at(int j) const { return counter_clockwise ? j : (3 - j) % 3; }
};

/// The edge or vertex of a cell as its owner sees it: `slot` = side or label there.
struct OwnerSlot {
  std::int64_t cell;
  int slot;
};
OwnerSlot edge_owner(const Triangle& cell, int side);
OwnerSlot vertex_owner(const Triangle& cell, int label);
/// Global index of an edge or vertex that `cell` owns.
std::int64_t edge_number(const Triangle& cell, int side);
std::int64_t vertex_number(const Triangle& cell, int label);
/// The circumcentre: the cell centre of the grid.
Vec3 centre_of(const Triangle& triangle);

/// All triangles of a grid. Holds the root triangles only (20 for n a power of two).
class TriangleTree {
 public:
  explicit TriangleTree(const Grid& grid);
  int depth() const { return depth_; }  ///< bisections from the root triangles to the cells
  const Triangle& root(std::int64_t index) const { return roots_[index]; }
  std::int64_t size(int level) const {
    return static_cast<std::int64_t>(roots_.size()) << (2 * level);
  }
  /// Child 0 to 3 in curve order: (A, CA, AB), (CA, BC, C), (BC, AB, CA), (AB, B, BC).
  static Triangle child(const Triangle& parent, int number);

 private:
  int depth_ = 0;
  std::vector<Triangle> roots_;
};

/// Finds triangles of one level by index. Keeps the way down to the last one, so that a walk along
/// the curve costs a constant time per triangle.
class TriangleWalker {
 public:
  /// Walks on `level` (root triangles = 0, cells = tree.depth()). The tree must outlive the walker.
  TriangleWalker(const TriangleTree& tree, int level) : tree_(&tree), level_(level) {}
  explicit TriangleWalker(const TriangleTree& tree) : TriangleWalker(tree, tree.depth()) {}
  /// Valid until the next call.
  const Triangle& at(std::int64_t index);

 private:
  const TriangleTree* tree_;
  int level_;
  std::array<Triangle, 16> way_{};  // way_[0] a root, way_[level_] the last one found
};

}  // namespace thalweg
