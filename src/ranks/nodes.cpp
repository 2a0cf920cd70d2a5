// SPDX-License-Identifier: Apache-2.0
// Asks MPI which ranks share memory and numbers the groups.
#include "ranks/nodes.hpp"

#include <map>

#include "base/call_limit.hpp"
#include "ranks/agreement.hpp"

namespace thalweg {

std::vector<int> nodes_of(MPI_Comm comm) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  come_together(comm, "all ranks to look who shares a node");
  MPI_Comm node = MPI_COMM_NULL;
  {
    const CallLimit limit("all ranks to look who shares a node");
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  }
  int lowest = rank;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, &lowest, 1, MPI_INT, MPI_MIN, node, &request);
  wait_for(request, "the other ranks of a node");
  MPI_Comm_free(&node);
  std::vector<int> nodes(ranks);
  MPI_Iallgather(&lowest, 1, MPI_INT, nodes.data(), 1, MPI_INT, comm, &request);
  wait_for(request, "the nodes of the other ranks");
  std::map<int, int> number;  // of a node, by its lowest rank
  for (auto& of_rank : nodes) {
    of_rank = number.try_emplace(of_rank, static_cast<int>(number.size())).first->second;
  }
  return nodes;
}

}  // namespace thalweg
