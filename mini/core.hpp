// SPDX-License-Identifier: Apache-2.0
// What the time loop, the output and the checkpoints ask of a model's equations: the same of all.
#pragma once

#include <mpi.h>

#include <source_location>
#include <span>
#include <utility>
#include <vector>

#include "diagnostics.hpp"
#include "runge_kutta.hpp"
#include "state.hpp"
#include "thalweg/field.hpp"

namespace thalweg::mini {

/// A field that the equations can put.
struct OutputRow {
  FieldInfo info;
  std::source_location kernel;  ///< where the values come from, for a trace
};

class Core : public Tendencies {
 public:
  State& state() { return state_; }
  const State& state() const { return state_; }

  /// The fastest signal, for the time step, m s-1. Collective over `comm`.
  virtual double fastest_m_s(MPI_Comm comm) const = 0;
  /// Collective over `comm`.
  virtual Diagnostics diagnose(MPI_Comm comm) = 0;
  /// What Diagnostics::tracer is called in messages.
  virtual const char* name_of_tracer() const = 0;
  /// Positive values of the state, [vertices][levels], for [model] extra_work.
  virtual std::span<const double> columns() const = 0;

  /// All fields, in the order in which they are put.
  virtual const std::vector<OutputRow>& rows() const = 0;
  /// Values of a row, [points][its levels], over at least the owned points; valid until the next
  /// call of this and of begin_output().
  virtual std::span<const double> values(std::size_t row) = 0;
  /// The state has changed since the last output.
  virtual void begin_output() = 0;
  /// Is the first level of the model's arrays the lowest one? In files it is the highest, as ICON
  /// numbers them.
  virtual bool lowest_level_first() const = 0;

 protected:
  explicit Core(State state) : state_(std::move(state)) {}
  State state_;
};

}  // namespace thalweg::mini
