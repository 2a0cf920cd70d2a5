// SPDX-License-Identifier: Apache-2.0
// Facts about a mesh: geometry of the whole sphere, and parts that equal the whole bit for bit.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>
#include <numeric>
#include <vector>

#include "grid/sphere.hpp"
#include "thalweg/decomposition.hpp"
#include "thalweg/error.hpp"

using namespace thalweg;

namespace {

Mesh whole(const char* name) {
  return build_mesh(Decomposition(Grid::parse(name), 1, "curve"), 0, 1);
}

constexpr double sphere_m2 = 4.0 * std::numbers::pi * earth_radius_m * earth_radius_m;

template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// Smallest number of steps from cell to cell over shared vertices from any cell of the part.
std::vector<int> depths_by_flooding(const Mesh& all, const Decomposition& decomposition, int part) {
  std::vector<int> depth(all.cell.global.size());
  for (std::size_t cell = 0; cell < depth.size(); ++cell)
    depth[cell] = decomposition.part_of(static_cast<std::int64_t>(cell)) == part ? 0 : 99;
  for (int step = 1; step <= 3; ++step) {
    const std::vector<int> before = depth;
    for (const auto& ring : all.vertex_cells)
      for (const int cell : ring)
        for (const int other : ring)
          if (cell >= 0 && other >= 0 && before[other] == step - 1)
            depth[cell] = std::min(depth[cell], step);
  }
  return depth;
}

/// Connectivity of a part against the whole, whose local and global indices coincide. Where
/// `is_complete` nothing may be missing.
template <std::size_t width>
int differences(const std::array<int, width>& mine, const std::array<int, width>& theirs,
                const PlacePart& target, bool is_complete) {
  int wrong = 0;
  for (std::size_t j = 0; j < width; ++j) {
    if (mine[j] >= 0) wrong += target.global[mine[j]] != theirs[j];
    if (mine[j] < 0) wrong += is_complete && theirs[j] >= 0;
  }
  return wrong;
}

int differences_in_points(const PlacePart& part, int rank) {
  int wrong = 0;
  for (int i = 0; i < part.total(); ++i) {
    wrong += (part.owner[i] == rank) != (i < part.owned);
    if (i > 0 && i != part.owned) wrong += part.global[i] <= part.global[i - 1];
    if (i < part.owned) wrong += part.depth[i] != 0;
  }
  return wrong;
}

int differences(const Mesh& m, const Mesh& all, int halo_depth) {
  int wrong = 0;
  for (int c = 0; c < m.cell.total(); ++c) {
    const auto g = m.cell.global[c];
    const bool inner = m.cell.depth[c] < halo_depth;
    wrong += differences(m.cell_vertices[c], all.cell_vertices[g], m.vertex, true);
    wrong += differences(m.cell_edges[c], all.cell_edges[g], m.edge, true);
    wrong += differences(m.cell_cells[c], all.cell_cells[g], m.cell, inner);
    wrong += !same_bits(m.cell_edge_sign[c], all.cell_edge_sign[g]);
    wrong += !same_bits(m.cell_centre[c], all.cell_centre[g]);
    wrong += !same_bits(m.cell_area_m2[c], all.cell_area_m2[g]);
    wrong += !same_bits(m.kite_area_m2[c], all.kite_area_m2[g]);
  }
  for (int e = 0; e < m.edge.total(); ++e) {
    const auto g = m.edge.global[e];
    wrong += differences(m.edge_vertices[e], all.edge_vertices[g], m.vertex, true);
    wrong += differences(m.edge_cells[e], all.edge_cells[g], m.cell, m.edge.depth[e] < halo_depth);
    wrong += !same_bits(m.edge_centre[e], all.edge_centre[g]);
    wrong += !same_bits(m.edge_normal[e], all.edge_normal[g]);
    wrong += !same_bits(m.edge_tangent[e], all.edge_tangent[g]);
    wrong += !same_bits(m.edge_length_m[e], all.edge_length_m[g]);
    wrong += !same_bits(m.dual_edge_length_m[e], all.dual_edge_length_m[g]);
  }
  for (int v = 0; v < m.vertex.total(); ++v) {
    const auto g = m.vertex.global[v];
    const bool inner = m.vertex.depth[v] < halo_depth;
    wrong += differences(m.vertex_edges[v], all.vertex_edges[g], m.edge, inner);
    wrong += differences(m.vertex_cells[v], all.vertex_cells[g], m.cell, inner);
    for (int j = 0; j < 6; ++j)
      wrong += m.vertex_edges[v][j] >= 0 && m.vertex_edge_sign[v][j] != all.vertex_edge_sign[g][j];
    wrong += m.vertex_degree[v] != all.vertex_degree[g];
    wrong += !same_bits(m.vertex_position[v], all.vertex_position[g]);
    const bool complete = std::count(m.vertex_cells[v].begin(), m.vertex_cells[v].end(), -1) ==
                          6 - m.vertex_degree[v];
    wrong += m.vertex_area_m2[v] != (complete ? all.vertex_area_m2[g] : 0.0);
    wrong += inner && !complete;
  }
  return wrong;
}

}  // namespace

TEST_CASE("triangles_and_hexagons_each_cover_the_sphere_to_1e-12") {
  for (const char* name : {"R1B0", "R2B2", "R2B5", "R3B3", "R5B2"}) {
    CAPTURE(name);
    const Mesh m = whole(name);
    const double cells = std::accumulate(m.cell_area_m2.begin(), m.cell_area_m2.end(), 0.0);
    const double vertices = std::accumulate(m.vertex_area_m2.begin(), m.vertex_area_m2.end(), 0.0);
    CHECK(std::abs(cells / sphere_m2 - 1.0) < 1e-12);
    CHECK(std::abs(vertices / sphere_m2 - 1.0) < 1e-12);
    double worst = 0.0;
    for (int c = 0; c < m.cell.total(); ++c) {
      const auto& kites = m.kite_area_m2[c];
      CHECK(*std::min_element(kites.begin(), kites.end()) > 0.0);
      worst = std::max(worst, std::abs((kites[0] + kites[1] + kites[2]) / m.cell_area_m2[c] - 1.0));
    }
    CHECK(worst < 1e-11);  // three kites are their triangle
  }
}

TEST_CASE("a_flux_through_edges_leaves_nothing_on_a_closed_sphere") {
  for (const char* name : {"R1B0", "R2B3", "R3B1"}) {
    const Mesh m = whole(name);
    std::vector<int> from_cells(m.edge.global.size(), 0), visits(from_cells);
    for (int c = 0; c < m.cell.total(); ++c)
      for (int j = 0; j < 3; ++j) {
        from_cells[m.cell_edges[c][j]] += m.cell_edge_sign[c][j];
        ++visits[m.cell_edges[c][j]];
        CHECK(m.edge_cells[m.cell_edges[c][j]][m.cell_edge_sign[c][j] > 0 ? 0 : 1] == c);
      }
    CHECK(std::all_of(from_cells.begin(), from_cells.end(), [](int sum) { return sum == 0; }));
    CHECK(std::all_of(visits.begin(), visits.end(), [](int n) { return n == 2; }));
  }
}

TEST_CASE("normals_point_from_c0_to_c1_and_tangents_are_k_cross_n") {
  for (const char* name : {"R1B0", "R2B3", "R3B1"}) {
    CAPTURE(name);
    const Mesh m = whole(name);
    int backwards = 0;
    double worst = 0.0;
    for (int e = 0; e < m.edge.total(); ++e) {
      const Vec3 along =
          m.vertex_position[m.edge_vertices[e][1]] - m.vertex_position[m.edge_vertices[e][0]];
      const Vec3 over = m.cell_centre[m.edge_cells[e][1]] - m.cell_centre[m.edge_cells[e][0]];
      backwards += dot(m.edge_normal[e], over) <= 0.0 || dot(m.edge_tangent[e], along) <= 0.0;
      backwards += m.edge_vertices[e][0] >= m.edge_vertices[e][1];  // here local = global
      const Vec3 turned = cross(m.edge_centre[e], m.edge_normal[e]);
      worst = std::max({worst, length(turned - m.edge_tangent[e]),
                        std::abs(length(m.edge_normal[e]) - 1.0),
                        std::abs(dot(m.edge_normal[e], m.edge_centre[e])),
                        // The dual edge crosses the edge's middle at a right angle.
                        std::abs(dot(normalised(over), m.edge_tangent[e])),
                        std::abs(dot(m.edge_tangent[e], m.cell_centre[m.edge_cells[e][0]]))});
    }
    CHECK(backwards == 0);
    CHECK(worst < 1e-12);
  }
}

TEST_CASE("circumcentres_are_as_far_from_all_three_corners") {
  const Mesh m = whole("R3B2");
  for (int c = 0; c < m.cell.total(); ++c) {
    const auto distance = [&](int j) {
      return arc_rad(m.cell_centre[c], m.vertex_position[m.cell_vertices[c][j]]);
    };
    REQUIRE(std::abs(distance(0) - distance(1)) < 1e-13);
    REQUIRE(std::abs(distance(0) - distance(2)) < 1e-13);
    REQUIRE(m.cell_area_m2[c] > 0.0);
  }
}

TEST_CASE("twelve_vertices_have_five_neighbours_and_rings_turn_counter_clockwise") {
  for (const char* name : {"R1B0", "R2B2", "R3B1"}) {
    CAPTURE(name);
    const Mesh m = whole(name);
    CHECK(std::count(m.vertex_degree.begin(), m.vertex_degree.end(), 5) == 12);
    int wrong = 0;
    for (int v = 0; v < m.vertex.total(); ++v) {
      const int degree = m.vertex_degree[v];
      const auto& edges = m.vertex_edges[v];
      wrong += std::min_element(edges.begin(), edges.begin() + degree) != edges.begin();
      for (int j = 0; j < degree; ++j) {
        const int edge = edges[j], next = edges[(j + 1) % degree], cell = m.vertex_cells[v][j];
        const auto& of_cell = m.cell_edges[cell];
        wrong += std::count(of_cell.begin(), of_cell.end(), edge) != 1;
        wrong += std::count(of_cell.begin(), of_cell.end(), next) != 1;
        wrong += m.edge_vertices[edge][m.vertex_edge_sign[v][j] > 0 ? 0 : 1] != v;
        wrong += dot(m.vertex_position[v], cross(m.edge_centre[edge], m.edge_centre[next])) <= 0.0;
      }
      for (int j = degree; j < 6; ++j) wrong += edges[j] != -1 || m.vertex_cells[v][j] != -1;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("edge_j_of_a_cell_joins_its_vertices_j_and_j_plus_1") {
  const Mesh m = whole("R3B1");
  for (int c = 0; c < m.cell.total(); ++c)
    for (int j = 0; j < 3; ++j) {
      const int from = m.cell_vertices[c][j], to = m.cell_vertices[c][(j + 1) % 3];
      const std::array ends =
          m.cell_edge_sign[c][j] > 0 ? std::array{from, to} : std::array{to, from};
      REQUIRE(m.edge_vertices[m.cell_edges[c][j]] == ends);
      const auto& back = m.cell_cells[m.cell_cells[c][j]];
      REQUIRE(std::count(back.begin(), back.end(), c) == 1);
    }
}

TEST_CASE("a_mesh_in_parts_is_the_whole_mesh_bit_for_bit") {
  for (const char* name : {"R1B0", "R2B2", "R3B1"}) {
    const Mesh all = whole(name);
    for (const std::string& kind : Decomposition::kinds())
      for (int parts = 1; parts <= 8; ++parts)
        for (int halo_depth = 0; halo_depth <= 2; ++halo_depth) {
          CAPTURE(name);
          CAPTURE(kind);
          CAPTURE(parts);
          CAPTURE(halo_depth);
          const Decomposition decomposition(all.grid, parts, kind);
          PerPlace<std::int64_t> owned{};
          for (int part = 0; part < parts; ++part) {
            const Mesh m = build_mesh(decomposition, part, halo_depth);
            CHECK(differences(m, all, halo_depth) == 0);
            const std::vector<int> depth = depths_by_flooding(all, decomposition, part);
            int held = 0, wrong_depth = 0;
            for (const int d : depth) held += d <= halo_depth;
            for (int c = 0; c < m.cell.total(); ++c)
              wrong_depth += m.cell.depth[c] != depth[m.cell.global[c]];
            CHECK(m.cell.total() == held);
            CHECK(wrong_depth == 0);
            for (const Place place : {Place::cell, Place::edge, Place::vertex}) {
              CHECK(differences_in_points(m.part(place), part) == 0);
              CHECK(m.part(place).global_size == all.grid.size(place));
              owned[place] += m.part(place).owned;
            }
          }
          CHECK(owned == std::array{all.grid.cells(), all.grid.edges(), all.grid.vertices()});
        }
  }
}

TEST_CASE("points_first_met_by_a_range_of_cells_are_contiguous") {
  const Decomposition decomposition(Grid::parse("R3B2"), 5, "curve");
  PerPlace<std::int64_t> next{};
  for (int part = 0; part < 5; ++part) {
    const Mesh m = build_mesh(decomposition, part, 0);
    for (const Place place : {Place::cell, Place::edge, Place::vertex})
      for (int i = 0; i < m.part(place).owned; ++i)
        REQUIRE(m.part(place).global[i] == next[place]++);
  }
}

TEST_CASE("a_part_that_does_not_exist_is_refused") {
  const Decomposition decomposition(Grid::parse("R1B0"), 2, "curve");
  CHECK_THROWS_AS(build_mesh(decomposition, 2, 1), Error);
  CHECK_THROWS_AS(build_mesh(decomposition, 0, -1), Error);
}
