// SPDX-License-Identifier: Apache-2.0
// Properties of plans for random decompositions of 1 to 8 sources: permutation, round trip,
// refusal.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "redist/plan.hpp"
#include "thalweg/error.hpp"

using namespace thalweg;

namespace {

using Owned = std::vector<std::vector<std::int64_t>>;  // [source][local] global index

struct Decomposed {
  std::int64_t size;
  Owned owned;
};

// How the points of a source lie in its arrays.
enum class LocalOrder { ascending, descending, random, stretches };

void arrange(std::vector<std::int64_t>& points, LocalOrder order, std::mt19937& random) {
  std::sort(points.begin(), points.end());
  if (order == LocalOrder::descending) std::reverse(points.begin(), points.end());
  if (order == LocalOrder::random) std::shuffle(points.begin(), points.end(), random);
  if (order == LocalOrder::stretches && points.size() > 1) {
    const auto middle = random() % points.size();
    std::rotate(points.begin(), points.begin() + middle, points.end());
  }
}

// Stretches of random length go to random sources, some of which may get nothing.
Decomposed decompose(unsigned seed) {
  std::mt19937 random(seed);
  const std::int64_t size = random() % 3 == 0 ? random() % 20 : 1 + random() % 3000;
  Decomposed made{size, Owned(1 + seed % 8)};
  const auto longest = 1 + random() % (seed % 2 == 0 ? 5u : 200u);
  const auto used = 1 + random() % made.owned.size();  // the others stay empty
  for (std::int64_t point = 0; point < size;) {
    auto& part = made.owned[(random() % used) * made.owned.size() / used];
    for (auto left = 1 + random() % longest; left > 0 && point < size; --left) {
      part.push_back(point++);
    }
  }
  for (auto& part : made.owned) arrange(part, static_cast<LocalOrder>(random() % 4), random);
  return made;
}

Plan plan_of(const Decomposed& made) {
  std::vector<std::vector<IndexRun>> runs;
  for (const auto& part : made.owned) runs.push_back(make_runs(part));
  return Plan(made.size, runs);
}

constexpr unsigned seeds = 200;

}  // namespace

TEST_SUITE_BEGIN("plan properties");

TEST_CASE("runs of any local order ascend, and stand for the indices they were made of") {
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    CAPTURE(seed);
    for (const auto& part : decompose(seed).owned) {
      std::vector<std::int64_t> rebuilt(part.size(), -1);
      std::int64_t last = -1;
      bool ascending = true;
      for (const auto& run : make_runs(part)) {
        ascending = ascending && run.length > 0 && run.global > last;
        last = run.global + run.length - 1;
        for (std::int64_t i = 0; i < run.length; ++i) {
          rebuilt[run.local + i] = run.global + i;
        }
      }
      REQUIRE(ascending);
      REQUIRE(rebuilt == part);
    }
  }
}

TEST_CASE("a plan is a permutation: every global index once, every local point once") {
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    CAPTURE(seed);
    const auto made = decompose(seed);
    const auto plan = plan_of(made);
    REQUIRE(plan.global_size() == made.size);
    REQUIRE(plan.sources() == static_cast<int>(made.owned.size()));
    std::vector<std::vector<int>> times;
    for (std::size_t source = 0; source < made.owned.size(); ++source) {
      REQUIRE(plan.points()[source] == static_cast<std::int64_t>(made.owned[source].size()));
      times.emplace_back(made.owned[source].size(), 0);
    }
    std::int64_t expected = 0, wrong = 0;
    for (const auto& run : plan.runs()) {
      wrong += run.global != expected;
      expected += run.length;
      for (std::int64_t i = 0; i < run.length; ++i) {
        const auto local = run.local + i;
        wrong += made.owned[run.source].at(local) != run.global + i;
        ++times[run.source][local];
      }
      wrong += &plan.find(run.global) != &run;
      wrong += &plan.find(run.global + run.length - 1) != &run;
    }
    REQUIRE(wrong == 0);
    REQUIRE(expected == made.size);
    for (const auto& of_source : times) {
      REQUIRE(
          std::all_of(of_source.begin(), of_source.end(), [](int count) { return count == 1; }));
    }
  }
}

TEST_CASE("to global order and back restores every source") {
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    CAPTURE(seed);
    const auto made = decompose(seed);
    const auto plan = plan_of(made);
    std::mt19937 random(seed);
    std::vector<std::vector<unsigned>> values, restored;
    for (const auto& part : made.owned) {
      values.emplace_back(part.size());
      for (auto& value : values.back()) value = static_cast<unsigned>(random());
      restored.emplace_back(part.size(), 0u);
    }
    std::vector<unsigned> global(made.size);
    const auto walk = [&](const auto& act) {
      for (const auto& run : plan.runs()) {
        for (std::int64_t i = 0; i < run.length; ++i) {
          act(global[run.global + i], run.source, run.local + i);
        }
      }
    };
    walk([&](unsigned& at, std::size_t source, std::size_t local) { at = values[source][local]; });
    walk(
        [&](unsigned& at, std::size_t source, std::size_t local) { restored[source][local] = at; });
    REQUIRE(restored == values);
  }
}

TEST_CASE("runs in any order make the same plan") {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    const auto made = decompose(seed);
    const auto plan = plan_of(made);
    std::mt19937 random(seed);
    std::vector<std::vector<IndexRun>> runs;
    for (const auto& part : made.owned) {
      runs.push_back(make_runs(part));
      std::shuffle(runs.back().begin(), runs.back().end(), random);
    }
    const Plan same(made.size, runs);
    REQUIRE(std::equal(plan.runs().begin(), plan.runs().end(), same.runs().begin(),
                       same.runs().end(), [](const PlanRun& a, const PlanRun& b) {
                         return a.global == b.global && a.local == b.local &&
                                a.length == b.length && a.source == b.source;
                       }));
  }
}

TEST_CASE("a lost point, a point owned twice and a point beyond the place are refused") {
  int tried = 0;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    CAPTURE(seed);
    const auto made = decompose(seed);
    if (made.size == 0) continue;
    std::mt19937 random(seed);
    auto& part = *std::find_if(made.owned.begin(), made.owned.end(),
                               [](const auto& points) { return !points.empty(); });
    const auto victim = random() % part.size();
    const std::size_t source = &part - made.owned.data();

    auto lost = made;
    lost.owned[source].erase(lost.owned[source].begin() + victim);
    REQUIRE_THROWS_AS(plan_of(lost), Error);

    auto twice = made;  // in one list
    twice.owned[source].push_back(part[victim]);
    REQUIRE_THROWS_AS(plan_of(twice), Error);

    auto shared = made;  // by two sources
    shared.owned.push_back({part[victim]});
    REQUIRE_THROWS_AS(plan_of(shared), Error);

    for (const auto beyond : {std::int64_t{-1}, made.size}) {
      auto outside = made;
      outside.owned[source].push_back(beyond);
      REQUIRE_THROWS_AS(plan_of(outside), Error);
    }
    ++tried;
  }
  CHECK(tried > 150);
}

TEST_CASE("refusals name the point") {
  CHECK_THROWS_WITH_AS(make_runs(std::vector<std::int64_t>{7, 3, 4, 7}),
                       "global index 7 stands twice in the list of owned points (counted from 0)",
                       Error);
  CHECK_THROWS_WITH_AS(make_runs(std::vector<std::int64_t>{3, 4, 5, 4}),
                       "global index 4 stands twice in the list of owned points (counted from 0)",
                       Error);
  const auto plan = [](std::int64_t size, const Owned& owned) { return plan_of({size, owned}); };
  CHECK_THROWS_WITH_AS(plan(4, {{2, 0}, {1}}),
                       "points 3 to 3 are owned by no rank (counted from 0)", Error);
  CHECK_THROWS_WITH_AS(plan(2, {{0, 1}, {2}}), "point 2 is owned, but the place has points 0 to 1",
                       Error);
  CHECK_THROWS_WITH_AS(plan(2, {{-1, 0}, {1}}),
                       "point -1 is owned, but the place has points 0 to 1", Error);
}

TEST_SUITE_END();
