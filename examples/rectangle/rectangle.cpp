// SPDX-License-Identifier: Apache-2.0
// Shallow water on a rectangle: a whole model whose only numerics are the kernel `stage` of
// shallow_water.py. An eddy in balance drifts and keeps its mass and nearly its energy.
//
// Usage: rectangle serial|simd|openmp [POINTS_A_SIDE] [STEPS]
#include "rectangle.hpp"

#include <cstdio>
#include <cstring>
#include <new>
#include <vector>

#include "square.hpp"

namespace {

using Stage = void (*)(const stage_arguments&);

Stage find_stage(const char* target) {
  if (std::strcmp(target, "serial") == 0) return stage_serial;
  if (std::strcmp(target, "simd") == 0) return stage_simd;
  if (std::strcmp(target, "openmp") == 0) return stage_openmp;
  return nullptr;
}

void simulate(Stage run, const Rectangle& grid, int steps) {
  const auto table = beside(grid);
  const std::vector<double> ground(grid.points(), 0.0);
  State now = eddy(grid), between = now, next = now;
  print_sums(grid, now, 0);
  for (int step = 1; step <= steps; ++step) {
    const State* from = &now;
    for (const double share : shares) {
      State& to = from == &between ? next : between;
      run({.points = grid.points(),
           .point_beside = table.data(),
           .thickness = from->thickness.data(),
           .eastward = from->eastward.data(),
           .northward = from->northward.data(),
           .thickness_before = now.thickness.data(),
           .eastward_before = now.eastward.data(),
           .northward_before = now.northward.data(),
           .ground = ground.data(),
           .coriolis = coriolis_s1,
           .width = grid.width_m(),
           .step = share * grid.step_s(),
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
  if (run == nullptr || grid.side < 4 || grid.side > largest_side || steps < 0 || count > 4) {
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
