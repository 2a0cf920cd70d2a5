// SPDX-License-Identifier: Apache-2.0
// Restart: checkpoints of a model's state, written in four ways and read on any number of ranks.
#pragma once

#include <mpi.h>

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "thalweg/field.hpp"
#include "thalweg/output.hpp"
#include "thalweg/settings.hpp"

namespace thalweg {

struct RestartSettings {
  std::string mode = "sync";          ///< see `thalweg modes`
  std::string directory = "restart";  ///< sets lie below it; made if it is not there
  std::string start_date = "2000-01-01T00:00:00Z";
  int keep = 2;                    ///< newest whole sets kept; older ones are removed
  std::string transport = "auto";  ///< as in OutputSettings
  double timeout_s = 600.0;
};

/// The same from the tables of an experiment; sets go to DIRECTORY/restart.
RestartSettings restart_settings(const Experiment& experiment, const std::string& directory);

/// A field of the state to read into: the same addressing as FieldView, writable.
struct MutableFieldView {
  void* values = nullptr;
  std::ptrdiff_t point_stride = 1;
  std::ptrdiff_t level_stride = 0;
  ValueType type = ValueType::float64;
  std::int64_t block_points = 0;
  std::ptrdiff_t block_stride = 0;
};

/// Numbers of the model that are not fields: text of any kind by name, e.g. {"time_step", "1234"}.
using RestartScalars = std::map<std::string, std::string>;

/// The ranks of a restart. Compute ranks first in `comm`; restart ranks are the last
/// `restart_ranks` of it and call serve().
struct RestartRanks {
  MPI_Comm comm = MPI_COMM_NULL;
  int restart_ranks = 0;
};

/// Checkpoints of a run. Every call is collective over the compute ranks unless it says otherwise.
class Restart {
 public:
  /// Collective over ranks.comm. Throws Error(user) on unknown modes and unfit numbers of ranks.
  static Restart open(const RestartRanks& ranks, const RestartSettings& settings);
  Restart(Restart&&) noexcept;
  Restart& operator=(Restart&&) noexcept;
  ~Restart();

  /// On restart ranks: works until every compute rank has called close().
  void serve();

  void define(std::span<const OwnedPoints> points);  ///< once, before fields
  void define(const FieldInfo& field);

  /// Writes one set: views[field] in the order of definition. Returns when the views may be
  /// overwritten; in modes with restart ranks that is before the set is whole. Throws the same
  /// Error on all compute ranks if this or an earlier set failed.
  void write(double time_s, std::span<const FieldView> views, const RestartScalars& scalars);
  /// Looks for news without waiting: completes sets that are on disk (manifest, keep). Call it
  /// every step.
  void check();
  /// Waits until every set is whole or given up.
  void close();

 private:
  struct State;
  explicit Restart(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// The newest whole set below `directory` (sizes and checksums of the manifest hold), or nothing.
/// Sets that are damaged are named in `damaged`, one sentence each. Collective over comm.
struct RestartSet {
  std::string path;  ///< "" = none found
  double time_s = 0.0;
  RestartScalars scalars;
  std::vector<std::string> damaged;
};
RestartSet find_restart(MPI_Comm comm, const std::string& directory);

/// Reads fields of a set into this rank's points, whatever ranks and mode wrote it. Collective over
/// comm. Throws Error(user) if the set lacks a field or its sizes differ.
void read_restart(MPI_Comm comm, const RestartSet& set, std::span<const OwnedPoints> points,
                  std::span<const FieldInfo> fields, std::span<const MutableFieldView> views);

/// The list of restart modes, for `thalweg modes` and error sentences.
std::vector<ModeInfo> restart_modes();
/// Does this mode write through dedicated restart ranks? Throws Error(user) on an unknown mode.
bool needs_restart_ranks(const std::string& mode);
/// Throws Error(user) with one sentence; without MPI.
void check_restart(const RestartSettings& settings, int compute_ranks, int restart_ranks);

}  // namespace thalweg
