// SPDX-License-Identifier: Apache-2.0
// Some of all ranks that do something together while the others sleep, and the time it takes them.
#pragma once

#include <mpi.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg::bench {

/// Where the ranks of MPI_COMM_WORLD are.
struct Layout {
  int rank = 0, ranks = 1, nodes = 1;
  std::vector<int> node;   ///< [rank], see nodes_of
  int cores_per_node = 1;  ///< the fewest of a node
  int ranks_on_first_node = 1;
  static Layout find();  ///< collective
};

/// The same ranks on every rank of the world.
struct Team {
  std::string name;
  std::vector<bool> has;          ///< [rank of the world]
  MPI_Comm comm = MPI_COMM_NULL;  ///< MPI_COMM_NULL on the others
  int rank = -1, ranks = 0, nodes = 0;

  /// Collective over the world.
  Team(std::string name, const Layout& layout, const std::function<bool(int)>& has_rank);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  bool is_mine() const { return comm != MPI_COMM_NULL; }
};

/// Of one piece of work, the same on every rank.
struct Sample {
  double wall_s = 0.0;  ///< of the slowest rank
  double cpu_s = 0.0;   ///< user and system time, sum over the team
};

/// Collective over the world: `work` runs on the team's ranks from a common start, and returns the
/// seconds that count. What it throws on one rank is thrown on every rank.
Sample time_team(const Team& team, std::string_view what, const std::function<double()>& work);

/// Collective over the world, without time: the same with what a team does before and afterwards.
void let_team(const Team& team, std::string_view what, const std::function<void()>& work);

/// The largest of all ranks' values, on every rank of `comm`.
double largest(MPI_Comm comm, double value);

}  // namespace thalweg::bench
