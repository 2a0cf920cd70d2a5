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

/// The prognostic fields, in the order of the state.
std::vector<FieldInfo> state_fields(const State& state);
std::vector<FieldView> state_views(const State& state);

/// What a continued run must know besides the fields: the grid and case it belongs to, the time
/// steps, the diagnostics at the start, which drifts refer to, and the settings of [model].
RestartScalars checkpoint_scalars(const Experiment& experiment, const TimeSteps& steps,
                                  const Diagnostics& first);

/// What a run takes over from the one that it continues.
struct Continuation {
  TimeSteps steps;    ///< of the run that wrote the checkpoint; only unit_ms and steps_per_unit
  bool keeps_step{};  ///< what the largest stable step follows from is as it was
  Diagnostics first;
};

/// How a run begins.
struct Start {
  Beginning at;                      ///< with `same_files` and no set: over what a run left
  std::optional<Continuation> from;  ///< nothing: at the start
  std::vector<std::string> notes;    ///< for the user, one sentence each
};

/// Is this where the run that [restart] read names has its files?
bool goes_on_in(const std::string& directory, const Experiment& experiment);

/// From the newest whole checkpoint of the run directory that [restart] read names, if it names
/// one. Where that is this run's own `directory`, from the newest whose outputs are all in files;
/// if there is none, the run begins again. Collective. Throws Error(user) if another directory has
/// none, or if it belongs to another grid or case.
Start find_start(MPI_Comm comm, const Experiment& experiment, const std::string& directory);

/// Reads owned points of the state; the halo is left as it was. Collective.
void read_state(MPI_Comm comm, const RestartSet& set, const Mesh& mesh, State& state);

}  // namespace thalweg::mini
