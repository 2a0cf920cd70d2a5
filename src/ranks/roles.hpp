// SPDX-License-Identifier: Apache-2.0
// Which ranks compute, which write output, which write restart files.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ranks/nodes.hpp"

namespace thalweg {

enum class Role { compute, io, restart };

/// Role of every rank, [rank]. `placement`:
///   last      compute ..., I/O ..., restart ... (ICON's order)
///   first     restart ..., I/O ..., compute ...
///   spread    I/O ranks evenly among all ranks, restart ranks evenly among the others
///   per_node  dealt to the nodes in turn, I/O ranks first; at the end of each node's ranks
/// `node_of`: node of each rank, [rank], nodes numbered from 0 (see nodes_of); per_node alone reads
/// it. A pure function. Throws Error(user) if no compute rank is left or `placement` is unknown.
std::vector<Role> assign_roles(int ranks, int io_ranks, int restart_ranks,
                               const std::string& placement, std::span<const int> node_of);
/// Throws Error(user) if there is no such placement.
void check_placement(const std::string& placement);

}  // namespace thalweg
