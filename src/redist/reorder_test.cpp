// SPDX-License-Identifier: Apache-2.0
// Reordering equals a naive loop: every order, type, window and byte order.
#include "redist/reorder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <random>

#include "thalweg/error.hpp"

using namespace thalweg;

namespace {

constexpr ArrayOrder level_innermost = ArrayOrder::level_innermost,
                     point_innermost = ArrayOrder::point_innermost;

// A field dealt to sources in random stretches.
struct Dealt {
  std::int64_t size;
  std::vector<std::vector<std::int64_t>> owned;  // [source][local] global index, ascending
  Plan plan;
};

Dealt deal(std::int64_t size, int parts, int longest, std::mt19937& random) {
  Dealt dealt{size, std::vector<std::vector<std::int64_t>>(parts), {}};
  for (std::int64_t point = 0; point < size;) {
    auto& part = dealt.owned[random() % dealt.owned.size()];
    for (auto left = 1 + random() % static_cast<unsigned>(longest); left > 0 && point < size;
         --left) {
      part.push_back(point++);
    }
  }
  std::vector<std::vector<IndexRun>> runs;
  for (const auto& part : dealt.owned) runs.push_back(make_runs(part));
  dealt.plan = Plan(size, runs);
  return dealt;
}

// Not exact in float32, so that a conversion shows.
double value_of(std::int64_t point, std::int64_t level) {
  return static_cast<double>(point) / 3.0 - 1e4 * static_cast<double>(level);
}

// The array of one source in some order.
template <class From>
std::vector<From> stage(const std::vector<std::int64_t>& owned, int levels, ArrayOrder order) {
  const auto points = static_cast<std::int64_t>(owned.size());
  std::vector<From> values(points * levels, From{-77});
  for (std::int64_t point = 0; point < points; ++point) {
    for (int level = 0; level < levels; ++level) {
      std::int64_t at = point * levels + level;
      if (order == point_innermost) at = level * points + point;
      values[at] = static_cast<From>(value_of(owned[point], level));
    }
  }
  return values;
}

template <class Real>
Real bytes_reversed(Real value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  std::reverse(bytes, bytes + sizeof value);
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// Bitwise comparison of a window with the naive loop, and of its surroundings with what was there.
template <class From, class To>
bool is_right(const Dealt& dealt, int levels, std::span<const ArrayOrder> orders,
              ReorderWindow window, bool swap) {
  std::vector<std::vector<From>> values;
  std::vector<SourceArray> sources;
  for (std::size_t source = 0; source < dealt.owned.size(); ++source) {
    const auto order = orders[source % orders.size()];
    values.push_back(stage<From>(dealt.owned[source], levels, order));
    sources.push_back(
        {values.back().data(), sizeof(From) == 8 ? ValueType::float64 : ValueType::float32, order});
  }
  constexpr std::size_t rim = 16;
  const std::size_t count = window.levels * window.points;
  std::vector<To> out(count + 2 * rim, To{-5}), expected = out;
  reorder<From>(dealt.plan, sources, levels, window, swap, out.data() + rim);
  for (std::int64_t level = 0; level < window.levels; ++level) {
    for (std::int64_t point = 0; point < window.points; ++point) {
      auto value = static_cast<To>(
          static_cast<From>(value_of(window.first_point + point, window.first_level + level)));
      if (swap) value = bytes_reversed(value);
      expected[rim + level * window.points + point] = value;
    }
  }
  return std::memcmp(out.data(), expected.data(), out.size() * sizeof(To)) == 0;
}

template <class From, class To>
void check_all(const Dealt& dealt, int levels, std::mt19937& random) {
  const std::vector<std::vector<ArrayOrder>> mixes{
      {level_innermost}, {point_innermost}, {level_innermost, point_innermost}};
  for (std::size_t mix = 0; mix < mixes.size(); ++mix) {
    for (const bool swap : {false, true}) {
      for (int window = 0; window < 4; ++window) {
        const int first_level = window == 0 ? 0 : static_cast<int>(random()) % levels & 127;
        const auto first_point = window == 0 ? 0 : static_cast<std::int64_t>(random()) % dealt.size;
        const auto from_level = std::min(first_level, levels - 1);
        const ReorderWindow part{
            from_level,
            window == 0 ? levels : 1 + static_cast<int>(random() % 1000) % (levels - from_level),
            first_point,
            window == 0 ? dealt.size
                        : 1 + static_cast<std::int64_t>(random()) % (dealt.size - first_point)};
        CAPTURE(mix);
        CAPTURE(swap);
        CAPTURE(levels);
        CAPTURE(part.first_level);
        CAPTURE(part.levels);
        CAPTURE(part.first_point);
        CAPTURE(part.points);
        REQUIRE(is_right<From, To>(dealt, levels, mixes[mix], part, swap));
      }
    }
  }
}

}  // namespace

TEST_SUITE_BEGIN("reorder");

TEST_CASE("every order, type, window and byte order gives what a naive loop gives") {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    std::mt19937 random(seed);
    const auto dealt =
        deal(1 + static_cast<std::int64_t>(random() % 700), 1 + static_cast<int>(random() % 8),
             1 + static_cast<int>(random() % 90), random);
    const int levels = seed % 4 == 0 ? 1 : 1 + static_cast<int>(random() % 40);
    check_all<double, double>(dealt, levels, random);
    check_all<double, float>(dealt, levels, random);
    check_all<float, double>(dealt, levels, random);
    check_all<float, float>(dealt, levels, random);
  }
}

TEST_CASE("windows of levels side by side make the whole field") {
  std::mt19937 random(7);
  const auto dealt = deal(1000, 3, 20, random);
  const int levels = 90;
  std::vector<std::vector<double>> values;
  std::vector<SourceArray> sources;
  for (const auto& owned : dealt.owned) {
    values.push_back(stage<double>(owned, levels, level_innermost));
    sources.push_back({values.back().data()});
  }
  std::vector<float> whole(90 * 1000), parts(90 * 1000);
  reorder(dealt.plan, sources, levels, {0, levels, 0, 1000}, false, ValueType::float32,
          whole.data());
  for (const int slab : {1, 6, 7, 8, 13}) {
    std::fill(parts.begin(), parts.end(), 0.0F);
    for (int level = 0; level < levels; level += slab) {
      reorder(dealt.plan, sources, levels, {level, std::min(slab, levels - level), 0, 1000}, false,
              ValueType::float32, parts.data() + level * 1000);
    }
    CHECK(parts == whole);
  }
}

TEST_CASE("a window beyond the field and a wrong type are refused") {
  std::mt19937 random(1);
  const auto dealt = deal(10, 1, 10, random);
  std::vector<double> values(20);
  std::vector<float> out(20);
  std::vector<SourceArray> sources{{values.data()}};
  const auto run = [&](ReorderWindow window) {
    reorder<double>(dealt.plan, sources, 2, window, false, out.data());
  };
  run({0, 2, 0, 10});
  run({2, 0, 10, 0});
  CHECK_THROWS_AS(run({1, 2, 0, 10}), Error);
  CHECK_THROWS_AS(run({0, 2, 1, 10}), Error);
  CHECK_THROWS_AS(run({-1, 2, 0, 10}), Error);
  sources[0].type = ValueType::float32;
  CHECK_THROWS_AS(run({0, 2, 0, 10}), Error);
}

TEST_SUITE_END();
