// SPDX-License-Identifier: Apache-2.0
// The only way Thalweg waits for another rank: patiently, without burning a core, and never for
// ever.
#pragma once

#include <mpi.h>

#include <functional>
#include <span>
#include <string_view>

namespace thalweg {

/// Time without any progress after which a wait on another rank gives up, seconds ([io] timeout).
/// Default 600.
void set_wait_timeout(double timeout_s);

/// Calls `ready` until it returns true; spins shortly, then yields, then sleeps up to `nap_s`
/// between calls (nap_s = 0: never sleeps, for waits on the critical path). Throws Error(bug)
/// naming `what`, and ranks that are silent, when nothing has moved for the time limit: this rank
/// noted no progress, no other rank said that it works. Time in which this rank did not run (the
/// whole job was suspended) does not count.
void wait_until(const std::function<bool()>& ready, std::string_view what, double nap_s = 0.0);

/// MPI_Waitall with the way out of wait_until.
void wait_all(std::span<MPI_Request> requests, std::string_view what);

/// Something moved here, a message or a file: a wait of this rank begins its time limit anew.
void note_progress();
/// The same from long work; now and then the ranks that may be waiting for it are told.
void note_work();

}  // namespace thalweg
