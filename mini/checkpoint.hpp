// SPDX-License-Identifier: Apache-2.0
// What a checkpoint of the mini-model holds, and how a run continues from one with the same bits.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagnostics.hpp"
#include "run_settings.hpp"
#include "state.hpp"
#include "thalweg/restart.hpp"

namespace thalweg::mini {

/// This rank's owned points of all places. Views into `mesh`.
std::vector<OwnedPoints> owned_points(const Mesh& mesh);

/// The prognostic fields, in the order of state_views.
std::vector<FieldInfo> state_fields(const State& state);
std::vector<FieldView> state_views(const State& state);

/// What a continued run must know besides the fields: the grid and case it belongs to, the time
/// steps, and the diagnostics at the start, which drifts refer to.
RestartScalars checkpoint_scalars(const Experiment& experiment, const TimeSteps& steps,
                                  const Diagnostics& first);

/// Where a run begins that continues from a checkpoint.
struct Continuation {
  RestartSet set;
  TimeSteps steps;  ///< of the run that wrote it; only unit_ms and steps_per_unit
  Diagnostics first;
};

/// The newest whole checkpoint of the run directory that [restart] read names; nothing if it is
/// empty. Collective. Throws Error(user) if there is none or if it belongs to another grid or case.
std::optional<Continuation> find_checkpoint(MPI_Comm comm, const Experiment& experiment);

/// Reads owned points of the state; the halo is left as it was. Collective.
void read_state(MPI_Comm comm, const Continuation& from, const Mesh& mesh, State& state);

}  // namespace thalweg::mini
