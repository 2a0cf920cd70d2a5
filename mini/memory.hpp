// SPDX-License-Identifier: Apache-2.0
// How much memory a run needs at least, and whether this machine has it.
#pragma once

#include <cstdint>
#include <span>

#include "thalweg/field.hpp"
#include "thalweg/settings.hpp"

namespace thalweg::mini {

/// Of all ranks together, bytes; what a run surely needs, not what it may take at most.
struct MemoryNeed {
  double model = 0.0;   ///< mesh and state
  double output = 0.0;  ///< output times, and steps on their way to writers
  double ranks = 0.0;   ///< programs and MPI
  double total() const { return model + output + ranks; }
};

MemoryNeed memory_need(const Experiment& experiment, std::span<const FieldInfo> fields, int ranks);

/// What the system says may still be had, limits of a container among it; infinite if it does not
/// say. Under Slurm that of all nodes, taken to be alike.
double available_memory();

/// Throws Error(user) with the estimate where it is more than `available_bytes`.
void check_memory(const MemoryNeed& need, double available_bytes);

}  // namespace thalweg::mini
