// SPDX-License-Identifier: Apache-2.0
// A plan is a permutation, and executing it puts every value in its global place.
#include "redist/plan.hpp"

#include <doctest/doctest.h>

#include <random>

#include "redist/reorder.hpp"
#include "thalweg/error.hpp"

using namespace thalweg;

namespace {

// Deals `size` points to `parts` sources in random stretches of up to `longest` points.
std::vector<std::vector<std::int64_t>> deal(std::int64_t size, int parts, int longest,
                                            unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::vector<std::int64_t>> owned(parts);
  for (std::int64_t point = 0; point < size;) {
    auto& part = owned[random() % owned.size()];
    for (auto left = 1 + random() % static_cast<unsigned>(longest); left > 0 && point < size;
         --left) {
      part.push_back(point++);
    }
  }
  return owned;
}

Plan plan_of(std::int64_t size, const std::vector<std::vector<std::int64_t>>& owned) {
  std::vector<std::vector<IndexRun>> runs;
  for (const auto& part : owned) runs.push_back(make_runs(part));
  return Plan(size, runs);
}

}  // namespace

TEST_CASE("runs compress consecutive points and keep local positions") {
  const std::vector<std::int64_t> global{3, 4, 5, 9, 11, 12};
  const auto runs = make_runs(global);
  REQUIRE(runs.size() == 3);
  CHECK(runs[0].global == 3);
  CHECK(runs[0].length == 3);
  CHECK(runs[2].global == 11);
  CHECK(runs[2].local == 4);
  CHECK_THROWS_AS(make_runs(std::vector<std::int64_t>{2, 2}), Error);
}

TEST_CASE("reordering_a_plan_puts_every_value_in_its_global_place") {
  for (unsigned seed = 1; seed <= 24; ++seed) {
    const int parts = 1 + static_cast<int>(seed % 8);
    const std::int64_t size = 1 + 37 * seed;
    const int levels = 1 + static_cast<int>(seed % 5);
    auto owned = deal(size, parts, 1 + static_cast<int>(seed % 19), seed);
    owned.emplace_back();  // a source without points
    const auto plan = plan_of(size, owned);
    std::vector<std::vector<double>> values(owned.size());
    std::vector<SourceArray> sources;
    for (std::size_t source = 0; source < owned.size(); ++source) {
      const auto order =
          source % 2 == 0 ? ArrayOrder::level_innermost : ArrayOrder::point_innermost;
      const auto points = owned[source].size();
      values[source].resize(points * levels);
      for (std::size_t point = 0; point < points; ++point) {
        for (int level = 0; level < levels; ++level) {
          const auto place = order == ArrayOrder::level_innermost ? point * levels + level
                                                                  : level * points + point;
          values[source][place] =
              static_cast<double>(owned[source][point]) + 1e6 * static_cast<double>(level);
        }
      }
      sources.push_back({values[source].data(), ValueType::float64, order});
    }
    std::vector<double> global(size * levels, -1.0);
    reorder(plan, sources, levels, {0, levels, 0, size}, false, ValueType::float64, global.data());
    for (std::int64_t level = 0; level < levels; ++level) {
      for (std::int64_t point = 0; point < size; ++point) {
        REQUIRE(global[level * size + point] ==
                static_cast<double>(point) + 1e6 * static_cast<double>(level));
      }
    }
    for (std::int64_t point = 0; point < size; ++point) {
      const auto& run = plan.find(point);
      REQUIRE(owned[run.source][run.local + point - run.global] == point);
    }
  }
}

TEST_CASE("a gap, an overlap or a missing tail is named") {
  CHECK_THROWS_WITH_AS(plan_of(4, {{0, 1}, {3}}),
                       "points 2 to 2 are owned by no rank (counted from 0)", Error);
  CHECK_THROWS_WITH_AS(plan_of(4, {{0, 1, 2}, {2, 3}}),
                       "point 2 is owned by more than one rank (counted from 0)", Error);
  CHECK_THROWS_AS(plan_of(5, {{0, 1}, {2, 3}}), Error);
}
