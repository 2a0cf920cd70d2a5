// SPDX-License-Identifier: Apache-2.0
// Common starts and common failures; every wait has the time limit of wait.hpp.
#include "team.hpp"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/call_limit.hpp"
#include "measuring.hpp"
#include "ranks/agreement.hpp"
#include "ranks/nodes.hpp"
#include "thalweg/error.hpp"
#include "thalweg/wait.hpp"

namespace thalweg::bench {
namespace {

void start_together(MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(comm, &request);
  wait_all({&request, 1}, "all ranks to start together");
}

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

}  // namespace

double largest(MPI_Comm comm, double value) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, comm, &request);
  wait_for(request, "the other ranks' times");
  return value;
}

Layout Layout::find() {
  Layout layout;
  layout.rank = world_rank();
  MPI_Comm_size(MPI_COMM_WORLD, &layout.ranks);
  layout.node = nodes_of(MPI_COMM_WORLD);
  layout.nodes = *std::max_element(layout.node.begin(), layout.node.end()) + 1;
  const auto cores = static_cast<double>(::sysconf(_SC_NPROCESSORS_ONLN));
  layout.cores_per_node = static_cast<int>(-largest(MPI_COMM_WORLD, -cores));
  layout.ranks_on_first_node =
      static_cast<int>(std::count(layout.node.begin(), layout.node.end(), 0));
  return layout;
}

Team::Team(std::string its_name, const Layout& layout, const std::function<bool(int)>& has_rank)
    : name(std::move(its_name)), has(layout.ranks) {
  std::set<int> its_nodes;
  for (int each = 0; each < layout.ranks; ++each) {
    has[each] = has_rank(each);
    if (has[each]) its_nodes.insert(layout.node[each]);
  }
  ranks = static_cast<int>(std::count(has.begin(), has.end(), true));
  nodes = static_cast<int>(its_nodes.size());
  come_together(MPI_COMM_WORLD, "all ranks to make teams");
  const CallLimit limit("all ranks to make teams");
  MPI_Comm_split(MPI_COMM_WORLD, has[layout.rank] ? 0 : MPI_UNDEFINED, layout.rank, &comm);
  if (is_mine()) MPI_Comm_rank(comm, &rank);
}

Team::~Team() {
  if (is_mine()) MPI_Comm_free(&comm);
}

Sample time_team(const Team& team, std::string_view what, const std::function<double()>& work) {
  Sample sample;
  let_team(team, what, [&] {
    start_together(team.comm);
    const double cpu_before_s = cpu_now_s();
    sample.wall_s = work();
    sample.cpu_s = cpu_now_s() - cpu_before_s;
  });
  double sum_s = sample.cpu_s;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, &sum_s, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  wait_for(request, "the other ranks' times");
  return {largest(MPI_COMM_WORLD, sample.wall_s), sum_s};
}

void let_team(const Team& team, std::string_view what, const std::function<void()>& work) {
  std::optional<Error> failed;
  if (team.is_mine()) failed = attempt(world_rank(), work);
  throw_together(MPI_COMM_WORLD, failed, what);
}

}  // namespace thalweg::bench
