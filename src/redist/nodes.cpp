// SPDX-License-Identifier: Apache-2.0
// Asks MPI which ranks share memory and numbers the groups.
#include "redist/nodes.hpp"

#include <map>

namespace thalweg {

std::vector<int> nodes_of(MPI_Comm comm) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  int lowest = rank;
  MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPI_INT, MPI_MIN, node);
  MPI_Comm_free(&node);
  std::vector<int> nodes(static_cast<std::size_t>(ranks));
  MPI_Allgather(&lowest, 1, MPI_INT, nodes.data(), 1, MPI_INT, comm);
  std::map<int, int> number;  // of a node, by its lowest rank
  for (auto& of_rank : nodes) {
    of_rank = number.try_emplace(of_rank, static_cast<int>(number.size())).first->second;
  }
  return nodes;
}

}  // namespace thalweg
