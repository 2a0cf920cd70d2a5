// SPDX-License-Identifier: Apache-2.0
// Walks over the icosahedron: five gores from end to end, each face in snaking rows.
#include "grid/root_triangles.hpp"

#include <algorithm>
#include <map>
#include <numbers>

#include "grid/sphere.hpp"

namespace thalweg {
namespace {

constexpr int north = 0, south = 11;
constexpr int upper(int i) {
  return 1 + i % 5;
}  // ring at latitude +atan(1/2), longitude 72 i degrees
constexpr int lower(int i) {
  return 6 + i % 5;
}  // ring at latitude -atan(1/2), longitude 72 i + 36

/// Turns the icosahedron so that no corner, edge or face is symmetric about the axis of rotation:
/// otherwise its five-fold pattern excites waves of number five in zonal flows (decision 0005).
Vec3 tilted(const Vec3& v) {
  const double about_y = 0.55, about_x = 0.30;  // rad, measured there
  const Vec3 w{std::cos(about_y) * v.x + std::sin(about_y) * v.z, v.y,
               -std::sin(about_y) * v.x + std::cos(about_y) * v.z};
  return normalised({w.x, std::cos(about_x) * w.y - std::sin(about_x) * w.z,
                     std::sin(about_x) * w.y + std::cos(about_x) * w.z});
}

std::array<Vec3, 12> icosahedron_vertices() {
  const double sine = 1.0 / std::sqrt(5.0), cosine = 2.0 / std::sqrt(5.0);
  std::array<Vec3, 12> vertex{};
  vertex[north] = {0.0, 0.0, 1.0};
  vertex[south] = {0.0, 0.0, -1.0};
  for (int i = 0; i < 5; ++i) {
    const double east = 0.4 * std::numbers::pi * i, half = 0.2 * std::numbers::pi;
    vertex[upper(i)] = normalised({cosine * std::cos(east), cosine * std::sin(east), sine});
    vertex[lower(i)] =
        normalised({cosine * std::cos(east + half), cosine * std::sin(east + half), -sine});
  }
  for (auto& corner : vertex) corner = tilted(corner);
  return vertex;
}

/// Faces as (entry, exit, other). A gore has four faces; odd gores run from south to north. Every
/// face shares an edge with the one before, and its entry is the exit of the one before.
std::array<std::array<int, 3>, 20> faces_along_curve() {
  std::array<std::array<int, 3>, 20> faces{};
  for (int gore = 0; gore < 5; ++gore) {
    const int u0 = upper(gore), u1 = upper(gore + 1), l0 = lower(gore), l1 = lower(gore + 1);
    std::array<std::array<int, 3>, 4> down{
        {{north, u1, u0}, {u1, l0, u0}, {l0, l1, u1}, {l1, south, l0}}};
    const std::array<std::array<int, 3>, 4> up{
        {{south, l0, l1}, {l0, u1, l1}, {u1, u0, l0}, {u0, north, u1}}};
    std::copy_n((gore % 2 == 0 ? down : up).begin(), 4, faces.begin() + 4 * gore);
  }
  return faces;
}

/// Numbers lattice points. A point is named by its icosahedron vertices with non-zero weights,
/// sorted, so that the faces that share it find the same number and the same bits.
class Lattice {
 public:
  Lattice(int r, RootTriangles& out) : r_(r), out_(out) {}

  /// The point (weight[0] v[0] + weight[1] v[1] + weight[2] v[2]) / r, weights summing to r.
  int number(const std::array<int, 3>& v, const std::array<int, 3>& weight) {
    std::array<std::array<int, 2>, 3> name{};
    for (int i = 0; i < 3; ++i)
      name[i] = weight[i] == 0 ? std::array{-1, 0} : std::array{v[i], weight[i]};
    std::sort(name.begin(), name.end());
    const auto [found, is_new] = numbers_.try_emplace(name, static_cast<int>(out_.point.size()));
    if (is_new) out_.point.push_back(position(name));
    return found->second;
  }

 private:
  using Name = std::array<std::array<int, 2>, 3>;  // (vertex, weight), absent ones (-1, 0) first

  Vec3 position(const Name& name) const {
    const auto vertex = [&](int i) { return vertices_[name[i][0]]; };
    if (name[1][0] < 0) return vertex(2);
    if (name[0][0] < 0)
      return along_arc(vertex(1), vertex(2), static_cast<double>(name[2][1]) / r_);
    // Three arcs through the inner point, each between two sides and "parallel" to the third,
    // nearly meet; their mean treats the three sides alike.
    Vec3 sum{0.0, 0.0, 0.0};
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, l = (i + 2) % 3, rest = r_ - name[i][1];
      const double outward = static_cast<double>(rest) / r_;
      const Vec3 begin = along_arc(vertex(i), vertex(j), outward);
      const Vec3 end = along_arc(vertex(i), vertex(l), outward);
      sum = sum + along_arc(begin, end, static_cast<double>(name[l][1]) / rest);
    }
    return normalised(sum);
  }

  int r_;
  RootTriangles& out_;
  std::array<Vec3, 12> vertices_ = icosahedron_vertices();
  std::map<Name, int> numbers_;
};

}  // namespace

RootTriangles make_root_triangles(int r) {
  RootTriangles roots;
  Lattice lattice(r, roots);
  for (const auto& [a, b, c] : faces_along_curve()) {
    // Rows lie parallel to the side AC; row 0 touches it, the last row is the tip at B. Within a
    // row the curve zigzags between its base and its top, and the next row is walked the other way.
    for (int row = 0; row < r; ++row) {
      const auto base_and_top = [&, row](int height, int step) {
        const int width = r - row - height;  // lattice steps along this line
        const int from_a = row % 2 == 0 ? step : width - step;
        return lattice.number({a, b, c}, {width - from_a, row + height, from_a});
      };
      const auto base = [&](int step) { return base_and_top(0, step); };
      const auto top = [&](int step) { return base_and_top(1, step); };
      for (int step = 0; step < r - row; ++step) {
        roots.triangle.push_back({base(step), top(step), base(step + 1)});
        if (step + 1 < r - row)
          roots.triangle.push_back({top(step), base(step + 1), top(step + 1)});
      }
    }
  }
  return roots;
}

}  // namespace thalweg
