// SPDX-License-Identifier: Apache-2.0
// The same model with its fields on a GPU: they come to the host when they are told.
//
// Usage: rectangle_on_device [POINTS_A_SIDE] [STEPS]
#include "rectangle_on_device.hpp"

#include <cstdio>
#include <new>
#include <vector>

#include "square.hpp"

namespace {

/// Room on the device, with values of the host at first.
template <class Value>
class Array {
 public:
  explicit Array(const std::vector<Value>& values) : bytes_(values.size() * sizeof(Value)) {
    room_ = static_cast<Value*>(stage_cuda_room(bytes_));
    stage_cuda_in(room_, values.data(), bytes_);
  }
  ~Array() { stage_cuda_free(room_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  Value* data() const { return room_; }
  void copy_to(std::vector<Value>& values) const { stage_cuda_out(values.data(), room_, bytes_); }

 private:
  std::size_t bytes_;
  Value* room_;
};

struct StateThere {
  explicit StateThere(const State& here)
      : thickness(here.thickness), eastward(here.eastward), northward(here.northward) {}
  void copy_to(State& here) const {
    thickness.copy_to(here.thickness);
    eastward.copy_to(here.eastward);
    northward.copy_to(here.northward);
  }
  Array<double> thickness, eastward, northward;
};

void simulate(const Rectangle& grid, int steps) {
  State here = eddy(grid);
  const Array<std::int32_t> table(beside(grid));
  const Array<double> ground(std::vector<double>(grid.points(), 0.0));
  const StateThere first(here), second(here), third(here);
  const StateThere *now = &first, *between = &second, *next = &third;
  const auto tell = [&](int step) {
    now->copy_to(here);
    print_sums(grid, here, step);
  };
  tell(0);
  for (int step = 1; step <= steps; ++step) {
    const StateThere* from = now;
    for (const double share : shares) {
      const StateThere* const to = from == between ? next : between;
      stage_cuda({.points = grid.points(),
                  .point_beside = table.data(),
                  .thickness = from->thickness.data(),
                  .eastward = from->eastward.data(),
                  .northward = from->northward.data(),
                  .thickness_before = now->thickness.data(),
                  .eastward_before = now->eastward.data(),
                  .northward_before = now->northward.data(),
                  .ground = ground.data(),
                  .coriolis = coriolis_s1,
                  .width = grid.width_m(),
                  .step = share * grid.step_s(),
                  .thickness_after = to->thickness.data(),
                  .eastward_after = to->eastward.data(),
                  .northward_after = to->northward.data()});
      from = to;
    }
    std::swap(now, from == between ? between : next);
    if (step % 60 == 0 || step == steps) tell(step);
  }
}

}  // namespace

int main(int count, char** words) {
  const Rectangle grid{count > 1 ? number(words[1]) : 128};
  const int steps = count > 2 ? number(words[2]) : 240;
  if (grid.side < 4 || grid.side > largest_side || steps < 0 || count > 3) {
    std::fprintf(stderr, "usage: rectangle_on_device [POINTS_A_SIDE, 4 to 46340] [STEPS]\n");
    return 2;
  }
  try {
    simulate(grid, steps);
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "rectangle: no memory for %d x %d points\n", grid.side, grid.side);
    return 2;
  }
}
