// SPDX-License-Identifier: Apache-2.0
// Facts about the grid as a function: order, neighbours, global numbers, each against brute force.
#include "grid/triangle_tree.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "grid/vector.hpp"

using namespace thalweg;

namespace {

const std::array<const char*, 12> small_grids{"R1B0", "R1B1", "R1B2", "R2B0", "R2B1", "R2B2",
                                              "R2B3", "R3B0", "R3B1", "R5B1", "R6B1", "R7B0"};

bool same_bits(const Vec3& a, const Vec3& b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

using Point = std::tuple<double, double, double>;
Point key(const Vec3& v) { return {v.x, v.y, v.z}; }

}  // namespace

TEST_CASE("consecutive_cells_share_a_vertex") {
  for (const char* name : small_grids) {
    CAPTURE(name);
    const Grid grid = Grid::parse(name);
    const TriangleTree tree(grid);
    TriangleWalker walker(tree);
    Vec3 exit = walker.at(0).corner[1];
    bool connected = true;
    for (std::int64_t cell = 1; cell < grid.cells(); ++cell) {
      const Triangle& t = walker.at(cell);
      connected = connected && same_bits(t.corner[0], exit);
      exit = t.corner[1];
    }
    CHECK(connected);
  }
}

TEST_CASE("cells_meet_bit_for_bit_across_every_side") {
  for (const char* name : small_grids) {
    CAPTURE(name);
    const Grid grid = Grid::parse(name);
    const TriangleTree tree(grid);
    TriangleWalker walker(tree), other(tree);
    int mismatches = 0;
    for (std::int64_t cell = 0; cell < grid.cells(); ++cell) {
      const Triangle& t = walker.at(cell);
      for (int side = 0; side < 3; ++side) {
        const Across& there = t.across[side];
        const Triangle& neighbour = other.at(there.triangle);
        const int back = side_between(there.first, there.second);
        mismatches += !same_bits(neighbour.corner[there.first], t.corner[side]);
        mismatches += !same_bits(neighbour.corner[there.second], t.corner[next_label(side)]);
        mismatches += neighbour.across[back].triangle != cell;
      }
    }
    CHECK(mismatches == 0);
  }
}

TEST_CASE("counter_clockwise_is_what_the_corners_say") {
  const Grid grid = Grid::parse("R3B2");
  const TriangleTree tree(grid);
  TriangleWalker walker(tree);
  int wrong = 0;
  for (std::int64_t cell = 0; cell < grid.cells(); ++cell) {
    const Triangle& t = walker.at(cell);
    wrong += (dot(t.corner[0], cross(t.corner[1], t.corner[2])) > 0.0) != t.counter_clockwise;
  }
  CHECK(wrong == 0);
}

// Vertices are told apart by their bits, edges by their pairs of vertices: nothing of the
// closed-form numbering enters what it is compared with.
TEST_CASE("global_numbers_are_a_bijection_in_the_order_of_first_cells") {
  for (const char* name : small_grids) {
    CAPTURE(name);
    const Grid grid = Grid::parse(name);
    const TriangleTree tree(grid);
    TriangleWalker walker(tree), other(tree);
    std::map<Point, std::int64_t> vertices;  // position -> number by first visit
    std::map<std::pair<Point, Point>, std::int64_t>
        edges;  // ends, lower first -> number by first visit
    int wrong = 0;
    for (std::int64_t cell = 0; cell < grid.cells(); ++cell) {
      const Triangle& t = walker.at(cell);
      for (int i = 0; i < 3; ++i) {
        const Point from = key(t.corner[i]), to = key(t.corner[next_label(i)]);
        const auto vertex =
            vertices.try_emplace(from, static_cast<std::int64_t>(vertices.size())).first;
        const auto edge =
            edges.try_emplace(std::minmax(from, to), static_cast<std::int64_t>(edges.size())).first;
        const OwnerSlot vertex_at = vertex_owner(t, i), edge_at = edge_owner(t, i);
        wrong += vertex_number(other.at(vertex_at.cell), vertex_at.slot) != vertex->second;
        wrong += edge_number(other.at(edge_at.cell), edge_at.slot) != edge->second;
        wrong += vertex_at.cell > cell || edge_at.cell > cell;
      }
    }
    CHECK(wrong == 0);
    CHECK(static_cast<std::int64_t>(vertices.size()) == grid.vertices());
    CHECK(static_cast<std::int64_t>(edges.size()) == grid.edges());
  }
}

TEST_CASE("the_last_cells_of_fine_grids_end_the_numbering_in_64_bits") {
  for (const char* name : {"R2B9", "R2B11", "R19B9", "R3B7"}) {
    CAPTURE(name);
    const Grid grid = Grid::parse(name);
    const TriangleTree tree(grid);
    TriangleWalker walker(tree);
    const Triangle& last = walker.at(grid.cells() - 1);
    int sides = 0, corners = 0;
    for (int i = 0; i < 3; ++i) {
      sides += last.owns_side(i);
      corners += last.owns_corner(i);
    }
    CHECK(last.edges_before + sides == grid.edges());
    CHECK(last.vertices_before + corners == grid.vertices());
  }
}

TEST_CASE("a_walker_finds_the_same_triangle_from_anywhere") {
  const Grid grid = Grid::parse("R2B5");
  const TriangleTree tree(grid);
  TriangleWalker walker(tree);
  std::int64_t cell = 1;
  for (int i = 0; i < 2000; ++i) {
    cell = (cell * 48271 + 11) % grid.cells();  // jumps about
    TriangleWalker fresh(tree);
    const Triangle& expected = fresh.at(cell);
    const Triangle& found = walker.at(cell);
    REQUIRE(found.index == cell);
    REQUIRE(same_bits(found.corner[2], expected.corner[2]));
    REQUIRE(found.edges_before == expected.edges_before);
    REQUIRE(found.across[1].triangle == expected.across[1].triangle);
  }
}
