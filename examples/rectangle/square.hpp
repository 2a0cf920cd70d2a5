// SPDX-License-Identifier: Apache-2.0
// The square that goes on at its ends, the eddy on it, and what is told of a state.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

inline constexpr double side_m = 2e6, depth_m = 1000.0, coriolis_s1 = 1e-4, gravity_m_s2 = 9.81;

struct State {
  explicit State(std::size_t points) : thickness(points), eastward(points), northward(points) {}
  std::vector<double> thickness, eastward, northward;  // m, m s-1
};

struct Rectangle {
  int side;
  std::int64_t points() const { return std::int64_t{side} * side; }
  double width_m() const { return side_m / side; }
  int at(int i, int j) const { return (j + side) % side * side + (i + side) % side; }
  /// Half of what the fastest wave allows three stages: sqrt(3), two directions.
  double step_s() const { return 0.5 * width_m() / std::sqrt(2.0 * gravity_m_s2 * depth_m); }
};

/// An eddy 5 m high, its wind along the lines of its height as the Coriolis force has it.
inline State eddy(const Rectangle& grid) {
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
inline void print_sums(const Rectangle& grid, const State& state, int step) {
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

/// Of each stage: which part of the step it goes (Wicker & Skamarock 2002).
inline constexpr double shares[] = {1.0 / 3, 0.5, 1.0};

/// East, north, west, south, as the language has them: steps of i and j.
inline constexpr std::pair<int, int> directions[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};

/// [direction][point], as the layout wants it.
inline std::vector<std::int32_t> beside(const Rectangle& grid) {
  std::vector<std::int32_t> table;
  for (const auto& [i_step, j_step] : directions) {
    for (int j = 0; j < grid.side; ++j)
      for (int i = 0; i < grid.side; ++i) table.push_back(grid.at(i + i_step, j + j_step));
  }
  return table;
}

/// The number of a point is an int.
inline constexpr int largest_side = 46340;

/// -1 for a word that is no whole number.
inline int number(const char* word) {
  const char* const end = word + std::strlen(word);
  int value = -1;
  const auto read = std::from_chars(word, end, value);
  return read.ec == std::errc{} && read.ptr == end ? value : -1;
}
