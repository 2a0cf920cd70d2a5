// SPDX-License-Identifier: Apache-2.0
// Bisection of labelled triangles: geometry, neighbours, owners and prefix counts of a child.
#include "grid/triangle_tree.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include "grid/root_triangles.hpp"
#include "grid/sphere.hpp"

namespace thalweg {
namespace {

// A child touches its parent in one corner (children 0, 3, 1 the corners A, B, C, whose labels they
// keep) or in none (child 2, the centre).
constexpr std::array<int, 3> child_at_corner{0, 3, 1};

/// Label, in the child at corner `corner`, of the midpoint between `corner` and `other`.
constexpr int midpoint_label(int corner, int other) {
  constexpr int table[3][3] = {{-1, 2, 1}, {0, -1, 2}, {0, 1, -1}};
  return table[corner][other];
}

/// Child and label that own the midpoint of a side, if its triangle is the lower one across that
/// side.
constexpr std::array<std::array<int, 2>, 3> midpoint_owner{{{0, 2}, {1, 1}, {0, 1}}};

/// One corner of a child: a corner of the parent (0, 1, 2) or the midpoint of its side (3 + side).
constexpr int child_corner[4][3] = {{0, 5, 3}, {5, 4, 2}, {4, 3, 5}, {3, 1, 4}};

/// What lies across a child's side: a sibling with its labels at the two ends, or sibling = -1 and
/// `first` = the parent's corner on this half side, `second` = the corner at its other end.
struct SideRule {
  int sibling, first, second;
  bool
      from_corner;  // half sides: does the child's side start (true) or end at the parent's corner?
};
constexpr SideRule side_rule[4][3] = {{{-1, 0, 2, true}, {2, 2, 1, false}, {-1, 0, 1, false}},
                                      {{2, 2, 0, false}, {-1, 2, 1, false}, {-1, 2, 0, true}},
                                      {{3, 2, 0, false}, {0, 2, 1, false}, {1, 0, 1, false}},
                                      {{-1, 1, 0, false}, {-1, 1, 2, true}, {2, 0, 1, false}}};

/// Edges and vertices strictly inside a triangle whose sides have `s` = 2^levels cells, and its
/// share of the border: s edges and s - 1 vertices per side on which it is the lower one, and the
/// corners it owns.
struct Counts {
  std::int64_t edges, vertices;
};
Counts counts(int levels, int sides_owned, int corners_owned) {
  const std::int64_t s = std::int64_t{1} << levels;
  return {(3 * s * s - 3 * s) / 2 + s * sides_owned,
          (s - 1) * (s - 2) / 2 + (s - 1) * sides_owned + corners_owned};
}
Counts counts(const Triangle& t) {
  return counts(t.levels, t.owns_side(0) + t.owns_side(1) + t.owns_side(2),
                t.owns_corner(0) + t.owns_corner(1) + t.owns_corner(2));
}

/// What child `number` and its older siblings own, from what the parent owns.
Counts counts_before_child(const Triangle& parent, int number) {
  const int ab = parent.owns_side(0), bc = parent.owns_side(1), ca = parent.owns_side(2);
  const std::array<Counts, 3> of_child{
      counts(parent.levels - 1, ca + 1 + ab, parent.owns_corner(0) + ca + ab),
      counts(parent.levels - 1, 1 + bc + ca, bc + parent.owns_corner(2)),
      counts(parent.levels - 1, 1, 0)};
  Counts before{parent.edges_before, parent.vertices_before};
  for (int i = 0; i < number; ++i) {
    before.edges += of_child[i].edges;
    before.vertices += of_child[i].vertices;
  }
  return before;
}

Across across_child(const Triangle& parent, int number, int side) {
  const SideRule& rule = side_rule[number][side];
  if (rule.sibling >= 0)
    return {4 * parent.index + rule.sibling, static_cast<std::int8_t>(rule.first),
            static_cast<std::int8_t>(rule.second)};
  const int parent_side = side_between(rule.first, rule.second);
  const Across& there = parent.across[parent_side];
  const int corner = rule.first == parent_side ? there.first : there.second;
  const int other = rule.first == parent_side ? there.second : there.first;
  const int middle = midpoint_label(corner, other);
  return {4 * there.triangle + child_at_corner[corner],
          static_cast<std::int8_t>(rule.from_corner ? corner : middle),
          static_cast<std::int8_t>(rule.from_corner ? middle : corner)};
}

CornerOf owner_of_child_corner(const Triangle& parent, int place) {
  if (place < 3) {
    const CornerOf& owner = parent.owner[place];
    return {4 * owner.triangle + child_at_corner[owner.label], owner.label};
  }
  const int side = place - 3;
  const Across& there = parent.across[side];
  const bool mine = parent.owns_side(side);
  const auto& [child, label] =
      midpoint_owner[mine ? side : side_between(there.first, there.second)];
  return {4 * (mine ? parent.index : there.triangle) + child, static_cast<std::int8_t>(label)};
}

/// Neighbours and corner owners of the root triangles, from the points they share.
void connect_roots(const RootTriangles& shape, std::vector<Triangle>& roots) {
  std::map<std::array<int, 2>, CornerOf> open_sides;  // (point, next point) -> triangle and side
  std::vector<CornerOf> owner(shape.point.size(), {-1, 0});
  for (Triangle& t : roots) {
    const auto& point = shape.triangle[t.index];
    for (int side = 0; side < 3; ++side) {
      CornerOf& lowest = owner[point[side]];
      if (lowest.triangle < 0) lowest = {t.index, static_cast<std::int8_t>(side)};
      const int from = point[side], to = point[next_label(side)];
      const auto found = open_sides.find({std::min(from, to), std::max(from, to)});
      if (found == open_sides.end()) {
        open_sides[{std::min(from, to), std::max(from, to)}] = {t.index,
                                                                static_cast<std::int8_t>(side)};
        continue;
      }
      const auto [other, other_side] = found->second;
      open_sides.erase(found);
      const auto other_next = static_cast<std::int8_t>(next_label(other_side));
      const auto next = static_cast<std::int8_t>(next_label(side)),
                 here = static_cast<std::int8_t>(side);
      const bool same_way = shape.triangle[other][other_side] == from;
      t.across[side] =
          same_way ? Across{other, other_side, other_next} : Across{other, other_next, other_side};
      roots[other].across[other_side] =
          same_way ? Across{t.index, here, next} : Across{t.index, next, here};
    }
    for (int label = 0; label < 3; ++label) t.owner[label] = owner[point[label]];
  }
}

}  // namespace

OwnerSlot edge_owner(const Triangle& cell, int side) {
  if (cell.owns_side(side)) return {cell.index, side};
  const Across& there = cell.across[side];
  return {there.triangle, side_between(there.first, there.second)};
}

OwnerSlot vertex_owner(const Triangle& cell, int label) {
  return {cell.owner[label].triangle, cell.owner[label].label};
}

std::int64_t edge_number(const Triangle& cell, int side) {
  std::int64_t number = cell.edges_before;
  for (int before = 0; before < side; ++before) number += cell.owns_side(before);
  return number;
}

std::int64_t vertex_number(const Triangle& cell, int label) {
  std::int64_t number = cell.vertices_before;
  for (int before = 0; before < label; ++before) number += cell.owns_corner(before);
  return number;
}

Vec3 centre_of(const Triangle& t) {
  return circumcentre(t.corner[t.label_at(0)], t.corner[t.label_at(1)], t.corner[t.label_at(2)]);
}

TriangleTree::TriangleTree(const Grid& grid) {
  int r = grid.n;
  for (depth_ = grid.k; r % 2 == 0; r /= 2) ++depth_;
  const RootTriangles shape = make_root_triangles(r);
  roots_.resize(shape.triangle.size());
  for (std::size_t i = 0; i < roots_.size(); ++i) {
    Triangle& t = roots_[i];
    t.index = static_cast<std::int64_t>(i);
    t.levels = depth_;
    for (int label = 0; label < 3; ++label) t.corner[label] = shape.point[shape.triangle[i][label]];
    t.counter_clockwise = dot(t.corner[0], cross(t.corner[1], t.corner[2])) > 0.0;
  }
  connect_roots(shape, roots_);
  Counts before{0, 0};
  for (Triangle& t : roots_) {
    t.edges_before = before.edges;
    t.vertices_before = before.vertices;
    const Counts own = counts(t);
    before.edges += own.edges;
    before.vertices += own.vertices;
  }
}

Triangle TriangleTree::child(const Triangle& parent, int number) {
  Triangle child;
  child.index = 4 * parent.index + number;
  child.levels = parent.levels - 1;
  child.counter_clockwise = parent.counter_clockwise != (number == 0 || number == 2);
  for (int label = 0; label < 3; ++label) {
    const int place = child_corner[number][label];
    child.corner[label] =
        place < 3 ? parent.corner[place]
                  : midpoint(parent.corner[place - 3], parent.corner[next_label(place - 3)]);
    child.owner[label] = owner_of_child_corner(parent, place);
    child.across[label] = across_child(parent, number, label);
  }
  const Counts before = counts_before_child(parent, number);
  child.edges_before = before.edges;
  child.vertices_before = before.vertices;
  return child;
}

const Triangle& TriangleWalker::at(std::int64_t index) {
  int common = -1;  // deepest level where the way to the last triangle leads to this one too
  if (way_[level_].index >= 0) {
    const auto difference = static_cast<std::uint64_t>(index ^ way_[level_].index);
    common = level_ - (std::bit_width(difference) + 1) / 2;
  }
  if (common < 0) {
    way_[0] = tree_->root(index >> (2 * level_));
    common = 0;
  }
  for (int level = common + 1; level <= level_; ++level)
    way_[level] =
        TriangleTree::child(way_[level - 1], static_cast<int>(index >> (2 * (level_ - level)) & 3));
  return way_[level_];
}

}  // namespace thalweg
