// SPDX-License-Identifier: Apache-2.0
// Places I/O and restart ranks among all ranks: one function a placement, one table of them.
#include "ranks/roles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/words.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

namespace {

struct Wanted {
  int io, restart;
};

void place_last(std::vector<Role>& roles, Wanted wanted, std::span<const int>) {
  std::fill_n(roles.rbegin(), wanted.restart, Role::restart);
  std::fill_n(roles.rbegin() + wanted.restart, wanted.io, Role::io);
}

void place_first(std::vector<Role>& roles, Wanted wanted, std::span<const int>) {
  std::fill_n(roles.begin(), wanted.restart, Role::restart);
  std::fill_n(roles.begin() + wanted.restart, wanted.io, Role::io);
}

// Gives `role` to `count` of the ranks that still compute: the last one of each of `count` equal
// shares.
void spread_one(std::vector<Role>& roles, int count, Role role) {
  std::vector<std::size_t> free;
  for (std::size_t rank = 0; rank < roles.size(); ++rank) {
    if (roles[rank] == Role::compute) free.push_back(rank);
  }
  const std::size_t shares = count;
  for (std::size_t share = 1; share <= shares; ++share) {
    roles[free[share * free.size() / shares - 1]] = role;
  }
}

void place_spread(std::vector<Role>& roles, Wanted wanted, std::span<const int>) {
  spread_one(roles, wanted.io, Role::io);
  spread_one(roles, wanted.restart, Role::restart);
}

// One rank of each node in turn, from the end of its ranks; a node that is used up is passed over.
void place_per_node(std::vector<Role>& roles, Wanted wanted, std::span<const int> node_of) {
  if (node_of.size() != roles.size()) {
    throw Error(Blame::bug, fmt::format("the nodes of {} ranks are known, but there are {}",
                                        node_of.size(), roles.size()));
  }
  const auto nodes = *std::max_element(node_of.begin(), node_of.end()) + 1;
  std::vector<std::vector<std::size_t>> left(nodes);  // [node] its ranks without a role, ascending
  for (std::size_t rank = 0; rank < roles.size(); ++rank) {
    left[node_of[rank]].push_back(rank);
  }
  // Restart ranks go on where I/O ranks stopped. Every node's last rank, of I/O, comes last.
  std::size_t node = 0;
  for (int dealt = 0; dealt < wanted.io + wanted.restart; ++dealt) {
    while (left[node].empty()) node = (node + 1) % nodes;
    roles[left[node].back()] = dealt < wanted.io ? Role::io : Role::restart;
    left[node].pop_back();
    node = (node + 1) % nodes;
  }
}

// Every placement. To add one: write its function and add its line here and in settings.toml.
struct Placement {
  const char* name;
  void (*place)(std::vector<Role>&, Wanted, std::span<const int>);
};
constexpr std::array placements = {Placement{"last", place_last}, Placement{"first", place_first},
                                   Placement{"spread", place_spread},
                                   Placement{"per_node", place_per_node}};

const Placement& find_placement(const std::string& name) {
  std::array<const char*, placements.size()> names{};
  std::transform(placements.begin(), placements.end(), names.begin(),
                 [](const Placement& known) { return known.name; });
  return placements[number_of_word("[io]", "placement", name, names)];
}

}  // namespace

void check_placement(const std::string& placement) { find_placement(placement); }

std::vector<Role> assign_roles(int ranks, int io_ranks, int restart_ranks,
                               const std::string& placement, std::span<const int> node_of) {
  const auto& chosen = find_placement(placement);
  if (io_ranks < 0 || restart_ranks < 0) {
    throw Error(Blame::user, fmt::format("[io]: {} I/O ranks and {} restart ranks were asked for; "
                                         "neither can be negative",
                                         io_ranks, restart_ranks));
  }
  if (ranks - io_ranks < restart_ranks + 1) {
    throw Error(
        Blame::user,
        fmt::format("[io]: {} I/O rank{} and {} restart rank{} leave no compute rank of {}; "
                    "start at least {} ranks or ask for fewer",
                    io_ranks, io_ranks == 1 ? "" : "s", restart_ranks,
                    restart_ranks == 1 ? "" : "s", ranks,
                    static_cast<long long>(io_ranks) + restart_ranks + 1));
  }
  std::vector<Role> roles(ranks, Role::compute);
  const Wanted wanted{io_ranks, restart_ranks};
  if (wanted.io + wanted.restart > 0) chosen.place(roles, wanted, node_of);
  return roles;
}

}  // namespace thalweg
