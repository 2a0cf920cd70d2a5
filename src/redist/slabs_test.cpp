// SPDX-License-Identifier: Apache-2.0
// Slabs cover a window once and are neither large nor thin.
#include "redist/slabs.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace thalweg;

TEST_CASE("slabs cover every value of a window once and keep within their bytes") {
  std::mt19937 random(3);
  for (int trial = 0; trial < 200; ++trial) {
    const auto order = static_cast<ArrayOrder>(trial % 3);
    const std::int64_t value_bytes = trial % 2 == 0 ? 4 : 8;
    const ReorderWindow whole{
        static_cast<int>(random() % 5), static_cast<int>(random() % 100),
        static_cast<std::int64_t>(random() % 1000),
        static_cast<std::int64_t>(random() % (trial % 5 == 0 ? 900000 : 3000))};
    std::int64_t values = 0, level = whole.first_level, point = whole.first_point;
    for (const auto& slab : slabs_of(whole, order, value_bytes)) {
      // The next one begins where the last one ended: to its right, or below at the left rim.
      REQUIRE(slab.first_level == level);
      REQUIRE(slab.first_point == point);
      REQUIRE(slab.levels * slab.points * value_bytes <= slab_bytes);
      values += slab.levels * slab.points;
      point += slab.points;
      if (point == whole.first_point + whole.points) {
        point = whole.first_point;
        level += slab.levels;
      }
    }
    REQUIRE(values == whole.levels * whole.points);
  }
}

TEST_CASE("rows stay whole, columns give many levels at a time") {
  const ReorderWindow r2b5{0, 90, 0, 81920}, r2b7{0, 90, 0, 1310720};
  const auto rows = slabs_of(r2b5, ArrayOrder::point_innermost, 4).front();
  CHECK(rows.points == 81920);
  CHECK(rows.levels == 6);
  const auto columns = slabs_of(r2b7, ArrayOrder::level_innermost, 4).front();
  CHECK(columns.levels == 16);
  CHECK(columns.points == 32768);
  CHECK(slabs_of(r2b7, ArrayOrder::point_innermost, 4).front().levels == 1);
  CHECK(slabs_of({0, 0, 0, 10}, ArrayOrder::blocked, 4).empty());
  CHECK(slabs_of({0, 3, 5, 10}, ArrayOrder::blocked, 4).size() == 1);
}
