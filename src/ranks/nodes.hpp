// SPDX-License-Identifier: Apache-2.0
// Which ranks share a node, that is: memory.
#pragma once

#include <mpi.h>

#include <vector>

namespace thalweg {

/// Node of every rank of `comm`, [rank]; nodes are numbered 0, 1, ... in the order of their lowest
/// ranks. Collective.
std::vector<int> nodes_of(MPI_Comm comm);

}  // namespace thalweg
