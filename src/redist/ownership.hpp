// SPDX-License-Identifier: Apache-2.0
// Does every global point belong to exactly one rank?
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ranks/same_everywhere.hpp"
#include "redist/plan.hpp"

namespace thalweg {

/// Collective: "" if the runs of all ranks cover [0, sizes[place]) of every place exactly once,
/// else one clause about the first point that is wrong, the same on all ranks. `sizes` are the same
/// on all ranks. O(points of this rank + points / ranks).
std::string ownership_fault(MPI_Comm comm, const PerPlace<std::int64_t>& sizes,
                            const OwnedRuns& runs, const WaitFor& wait);

}  // namespace thalweg
