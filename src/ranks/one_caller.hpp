// SPDX-License-Identifier: Apache-2.0
// Threads of a model take turns in the library, as far as its MPI allows more than one of them.
#pragma once

#include <mutex>

namespace thalweg {

/// Held by whoever is inside the library: one thread of this process at a time, in all outputs. A
/// thread that is inside may come in once more.
[[nodiscard]] std::unique_lock<std::recursive_mutex> enter_alone();

/// Throws Error(user) if this thread may not call MPI: MPI was initialised with less than
/// MPI_THREAD_SERIALIZED and this is not the thread that did it.
void require_mpi_thread();

/// May this thread call MPI at all? Not after MPI_Finalize, not where require_mpi_thread() throws.
bool may_call_mpi();

}  // namespace thalweg
