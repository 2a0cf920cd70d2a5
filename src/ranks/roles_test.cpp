// SPDX-License-Identifier: Apache-2.0
// Roles: the numbers asked for, the same every time, even where they should be even.
#include "ranks/roles.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "thalweg/error.hpp"

using namespace thalweg;

namespace {

int count(const std::vector<Role>& roles, Role role) {
  return static_cast<int>(std::count(roles.begin(), roles.end(), role));
}

// c = compute, o = I/O (output), r = restart.
std::string letters(const std::vector<Role>& roles) {
  std::string text;
  for (const auto role : roles) text += "cor"[static_cast<int>(role)];
  return text;
}

std::string placed(int ranks, int io, int restart, const std::string& placement,
                   std::vector<int> node_of = {}) {
  node_of.resize(ranks, 0);
  return letters(assign_roles(ranks, io, restart, placement, node_of));
}

struct Case {
  int ranks, io, restart;
  std::vector<int> node_of;
};

// Nodes of equal or different sizes, ranks in blocks or dealt in turn.
Case random_case(std::mt19937& random) {
  Case made;
  made.ranks = 1 + static_cast<int>(random() % 60);
  made.io = static_cast<int>(random()) % made.ranks & 63;
  made.io = std::min(made.io, made.ranks - 1);
  made.restart = static_cast<int>(random() % static_cast<unsigned>(made.ranks - made.io));
  const int nodes = 1 + static_cast<int>(random() % 7);
  const bool in_turn = random() % 2 == 0;
  const int size = (made.ranks + nodes - 1) / nodes;
  for (int rank = 0; rank < made.ranks; ++rank) {
    made.node_of.push_back(in_turn ? rank % nodes : rank / size);
  }
  return made;
}

// Numbers of ranks of `role` in each node.
std::vector<int> per_node(const std::vector<Role>& roles, const std::vector<int>& node_of,
                          auto wanted) {
  std::vector<int> result(*std::max_element(node_of.begin(), node_of.end()) + 1, 0);
  for (std::size_t rank = 0; rank < roles.size(); ++rank) {
    if (wanted(roles[rank])) ++result[node_of[rank]];
  }
  return result;
}

}  // namespace

TEST_SUITE_BEGIN("roles");

TEST_CASE("placements of a few ranks are what one expects") {
  CHECK(placed(8, 2, 1, "last") == "cccccoor");
  CHECK(placed(8, 2, 1, "first") == "rooccccc");
  CHECK(placed(8, 2, 0, "spread") == "cccoccco");
  CHECK(placed(8, 2, 1, "spread") ==
        "cccocc"
        "ro");
  CHECK(placed(8, 2, 2, "per_node", {0, 0, 0, 0, 1, 1, 1, 1}) == "ccroccro");
  CHECK(placed(8, 3, 0, "per_node", {0, 1, 0, 1, 0, 1, 0, 1}) == "ccccocoo");
  CHECK(placed(6, 3, 0, "per_node", {0, 0, 0, 0, 0, 1}) == "cccooo");  // node 1 has one rank only
  for (const auto* placement : {"last", "first", "spread", "per_node"}) {
    CHECK(placed(3, 0, 0, placement) == "ccc");
    CHECK(placed(1, 0, 0, placement) == "c");
  }
}

TEST_CASE("every placement gives the numbers asked for, the same every time") {
  std::mt19937 random(5);
  for (int trial = 0; trial < 500; ++trial) {
    const auto made = random_case(random);
    for (const auto* placement : {"last", "first", "spread", "per_node"}) {
      CAPTURE(made.ranks);
      CAPTURE(made.io);
      CAPTURE(made.restart);
      const auto roles = assign_roles(made.ranks, made.io, made.restart, placement, made.node_of);
      REQUIRE(static_cast<int>(roles.size()) == made.ranks);
      REQUIRE(count(roles, Role::io) == made.io);
      REQUIRE(count(roles, Role::restart) == made.restart);
      REQUIRE(count(roles, Role::compute) >= 1);
      REQUIRE(roles == assign_roles(made.ranks, made.io, made.restart, placement, made.node_of));
    }
  }
}

TEST_CASE("spread I/O ranks lie evenly within one among all, restart ranks among the rest") {
  std::mt19937 random(6);
  for (int trial = 0; trial < 500; ++trial) {
    const auto made = random_case(random);
    const auto roles = assign_roles(made.ranks, made.io, made.restart, "spread", {});
    for (const auto role : {Role::io, Role::restart}) {
      std::vector<int> gaps;  // ranks from one of `role` to the next
      int since = 0;
      for (const auto of_rank : roles) {
        if (role == Role::restart && of_rank == Role::io) continue;
        ++since;
        if (of_rank == role) gaps.push_back(since), since = 0;
      }
      if (gaps.empty()) continue;
      const auto [least, most] = std::minmax_element(gaps.begin(), gaps.end());
      REQUIRE(*most - *least <= 1);
      REQUIRE(since == 0);
    }
  }
}

TEST_CASE("per_node gives every node its share within one, at the end of its ranks") {
  std::mt19937 random(7);
  for (int trial = 0; trial < 500; ++trial) {
    const auto made = random_case(random);
    const auto roles = assign_roles(made.ranks, made.io, made.restart, "per_node", made.node_of);
    const auto sizes = per_node(roles, made.node_of, [](Role) { return true; });
    const auto io = per_node(roles, made.node_of, [](Role role) { return role == Role::io; });
    const auto both =
        per_node(roles, made.node_of, [](Role role) { return role != Role::compute; });
    for (const auto& share : {io, both}) {
      const int most = *std::max_element(share.begin(), share.end());
      for (std::size_t node = 0; node < share.size(); ++node) {
        REQUIRE((share[node] >= most - 1 || share[node] == sizes[node]));  // or it is used up
      }
    }
    std::vector<bool> seen(sizes.size(), false);  // a rank without compute role in this node
    for (std::size_t rank = 0; rank < roles.size(); ++rank) {
      const int node = made.node_of[rank];
      if (roles[rank] != Role::compute) seen[node] = true;
      REQUIRE((roles[rank] != Role::compute || !seen[node]));
    }
  }
}

TEST_CASE("numbers that do not fit and unknown placements are refused in one sentence") {
  CHECK_THROWS_WITH_AS(placed(4, 3, 1, "last"),
                       "[io]: 3 I/O ranks and 1 restart rank leave no compute rank of 4; start at "
                       "least 5 ranks or ask for fewer",
                       Error);
  CHECK_THROWS_WITH_AS(placed(4, 1, 1, "pernode"),
                       "[io]: placement 'pernode' does not exist; choose one of: last, first, "
                       "spread, per_node. Did you mean 'per_node'?",
                       Error);
  CHECK_THROWS_AS(placed(4, -1, 0, "last"), Error);
  CHECK_THROWS_AS(placed(4, 0, -1, "last"), Error);
  CHECK_THROWS_AS(placed(1, 0, 1, "first"), Error);
  CHECK_THROWS_AS(assign_roles(4, 1, 0, "per_node", std::vector<int>{0, 0}), Error);
}

TEST_SUITE_END();
