// SPDX-License-Identifier: Apache-2.0
// The mini-model on one compute rank: set-up and time loop.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

#include "checkpoint.hpp"
#include "core.hpp"
#include "diagnostics.hpp"
#include "diagnostics_log.hpp"
#include "kernel_ranks.hpp"
#include "run_settings.hpp"
#include "runge_kutta.hpp"
#include "thalweg/output.hpp"
#include "thalweg/restart.hpp"
#include "thalweg/settings.hpp"

namespace thalweg::mini {

class Model {
 public:
  /// Collective over `comm`, the compute ranks: builds the mesh and the initial state, or reads the
  /// state of a checkpoint ([restart] read).
  Model(const Experiment& experiment, MPI_Comm comm, const std::string& directory);

  /// Tells the library of points, fields and streams, steps to the end, puts what is due, and
  /// writes checkpoints (`restart` may be null: none). Collective. Throws Error(user) on all ranks
  /// when the state is no longer finite.
  void run(Output& output, Restart* restart);

 private:
  void define(Output& output, Restart* restart) const;
  void step_to_end(Output& output, Restart* restart);
  void write_checkpoint(Restart& restart, ModelTime time);
  void begin_diagnostics();
  void announce();  ///< the "start" message
  void write_output(Output& output, ModelTime time);
  bool report(
      double time_s);  ///< the "diagnostics" message; false when the state is no longer finite
  void extra_work();   ///< [model] extra_work column sweeps
  void show_progress(const Output& output, double time_s, bool always);

  const Experiment& experiment_;
  MPI_Comm comm_;
  int rank_ = 0;
  std::string directory_;
  DiagnosticsLog diagnostics_log_;
  Start start_;
  std::vector<StreamSettings> streams_;
  Mesh mesh_;
  std::unique_ptr<const Stencils> stencils_;
  std::unique_ptr<const KernelRanks> kernel_ranks_;
  std::unique_ptr<Core> core_;
  TimeSteps steps_;
  bool diagnostics_refused_ = false;  // and said
  Diagnostics first_;
  double last_progress_s_ = -1.0;  // wall clock
  double extra_work_sweeps_ = 0.0;
  volatile double kept_ = 0.0;  // result of the extra work, so that it is done
};

}  // namespace thalweg::mini
