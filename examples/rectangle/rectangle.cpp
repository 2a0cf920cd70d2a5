// SPDX-License-Identifier: Apache-2.0
// Shallow water on a rectangle: a whole model whose only numerics are the kernel `stage` of
// shallow_water.py. An eddy in balance drifts and keeps its mass and nearly its energy.
//
// Usage: rectangle serial|simd|openmp [POINTS_A_SIDE] [STEPS]
#include "rectangle.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <new>
#include <vector>

namespace {

constexpr double side_m = 2e6, depth_m = 1000.0, coriolis_s1 = 1e-4, gravity_m_s2 = 9.81;

struct State {
  explicit State(std::size_t points) : thickness(points), eastward(points), northward(points) {}
  std::vector<double> thickness, eastward, northward;  // m, m s-1
};

struct Rectangle {
  int side;
  std::int64_t points() const { return std::int64_t{side} * side; }
  double width_m() const { return side_m / side; }
  int at(int i, int j) const { return (j + side) % side * side + (i + side) % side; }

  /// [direction][point], as the layout wants it: east, north, west, south.
  std::vector<std::int32_t> beside() const {
    std::vector<std::int32_t> table;
    for (const auto& [i_step, j_step] : {std::pair{1, 0}, {0, 1}, {-1, 0}, {0, -1}}) {
      for (int j = 0; j < side; ++j)
        for (int i = 0; i < side; ++i) table.push_back(at(i + i_step, j + j_step));
    }
    return table;
  }
};

/// An eddy 5 m high, its wind along the lines of its height as the Coriolis force has it.
State eddy(const Rectangle& grid) {
  State state(grid.points());
  const auto height_m = [&](double i, double j) {
    const double x = (i / grid.side - 0.5) * 8.0, y = (j / grid.side - 0.5) * 8.0;
    return 5.0 * std::exp(-x * x - y * y);
  };
  const double factor = gravity_m_s2 / (coriolis_s1 * grid.width_m());
  for (int j = 0; j < grid.side; ++j) {
    for (int i = 0; i < grid.side; ++i) {
      const auto p = grid.at(i, j);
      state.thickness[p] = depth_m + height_m(i, j);
      state.eastward[p] = -factor * (height_m(i - 0.5, j + 0.5) - height_m(i - 0.5, j - 0.5));
      state.northward[p] = factor * (height_m(i + 0.5, j - 0.5) - height_m(i - 0.5, j - 0.5));
    }
  }
  return state;
}

/// Sums per area: m, m3 s-2.
void print_sums(const Rectangle& grid, const State& state, int step) {
  double mass = 0.0, energy = 0.0;
  for (int j = 0; j < grid.side; ++j) {
    for (int i = 0; i < grid.side; ++i) {
      const auto p = grid.at(i, j);
      const double h = state.thickness[p], u = state.eastward[p], v = state.northward[p];
      mass += h;
      energy += 0.5 * gravity_m_s2 * h * h +
                0.25 * u * u * (h + state.thickness[grid.at(i - 1, j)]) +
                0.25 * v * v * (h + state.thickness[grid.at(i, j - 1)]);
    }
  }
  const auto points = static_cast<double>(grid.points());
  std::printf("step %d mass %.17g energy %.17g eddy %.17g\n", step, mass / points, energy / points,
              state.thickness[grid.at(grid.side / 2, grid.side / 2)]);
}

using Stage = void (*)(const stage_arguments&);

Stage find_stage(const char* target) {
  if (std::strcmp(target, "serial") == 0) return stage_serial;
  if (std::strcmp(target, "simd") == 0) return stage_simd;
  if (std::strcmp(target, "openmp") == 0) return stage_openmp;
  return nullptr;
}

/// -1 for a word that is no whole number.
int number(const char* word) {
  const char* const end = word + std::strlen(word);
  int value = -1;
  const auto read = std::from_chars(word, end, value);
  return read.ec == std::errc{} && read.ptr == end ? value : -1;
}

void simulate(Stage run, const Rectangle& grid, int steps) {
  const auto beside = grid.beside();
  const std::vector<double> ground(grid.points(), 0.0);
  // Half of what the fastest wave allows three stages: sqrt(3), two directions.
  const double step_s = 0.5 * grid.width_m() / std::sqrt(2.0 * gravity_m_s2 * depth_m);
  State now = eddy(grid), between = now, next = now;
  print_sums(grid, now, 0);
  for (int step = 1; step <= steps; ++step) {
    const State* from = &now;
    for (const double share : {1.0 / 3, 0.5, 1.0}) {
      State& to = from == &between ? next : between;
      run({.points = grid.points(),
           .point_beside = beside.data(),
           .thickness = from->thickness.data(),
           .eastward = from->eastward.data(),
           .northward = from->northward.data(),
           .thickness_before = now.thickness.data(),
           .eastward_before = now.eastward.data(),
           .northward_before = now.northward.data(),
           .ground = ground.data(),
           .coriolis = coriolis_s1,
           .width = grid.width_m(),
           .step = share * step_s,
           .thickness_after = to.thickness.data(),
           .eastward_after = to.eastward.data(),
           .northward_after = to.northward.data()});
      from = &to;
    }
    std::swap(now, from == &between ? between : next);
    if (step % 60 == 0 || step == steps) print_sums(grid, now, step);
  }
}

}  // namespace

int main(int count, char** words) {
  const Stage run = count > 1 ? find_stage(words[1]) : nullptr;
  const Rectangle grid{count > 2 ? number(words[2]) : 128};
  const int steps = count > 3 ? number(words[3]) : 240;
  // The number of a point is an int.
  if (run == nullptr || grid.side < 4 || grid.side > 46340 || steps < 0 || count > 4) {
    std::fprintf(stderr,
                 "usage: rectangle serial|simd|openmp [POINTS_A_SIDE, 4 to 46340] [STEPS]\n");
    return 2;
  }
  try {
    simulate(run, grid, steps);
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "rectangle: no memory for %d x %d points\n", grid.side, grid.side);
    return 2;
  }
}
