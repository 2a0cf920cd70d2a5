// SPDX-License-Identifier: Apache-2.0
// Restart: checkpoints of a model's state, written in four ways and read on any number of ranks.
#pragma once

#include <mpi.h>

#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "thalweg/field.hpp"
#include "thalweg/output.hpp"
#include "thalweg/settings.hpp"

namespace thalweg {

struct RestartSettings {
  std::string mode = "sync";          ///< see `thalweg modes`
  std::string directory = "restart";  ///< sets lie below it; made if it is not there
  std::string start_date = "2000-01-01T00:00:00Z";
  int keep = 2;  ///< newest whole sets kept; older ones are removed, unless outputs lag behind
  std::string transport = "auto";  ///< as in OutputSettings
  double timeout_s = 600.0;
};

/// As of an output's settings: compared on all ranks.
template <class Settings, class Visit>
requires std::same_as<std::remove_const_t<Settings>, RestartSettings>
void visit_settings(Settings& restart, Visit&& visit) {
  visit("[restart] mode", restart.mode);
  visit("the directory of the run", restart.directory);
  visit("[time] start", restart.start_date);
  visit("[restart] keep", restart.keep);
  visit("[io] transport", restart.transport);
  visit("[io] timeout", restart.timeout_s);
}

/// The same from the tables of an experiment; sets go to DIRECTORY/restart.
RestartSettings restart_settings(const Experiment& experiment, const std::string& directory);
/// Dedicated ranks its mode needs: OutputSettings::restart_ranks. Throws Error(user) on an unknown
/// mode.
int restart_ranks(const Experiment& experiment);

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
  /// The restart of a run with output: on its compute and restart ranks, collective over both. What
  /// an interrupted run needs is kept: the newest set whose outputs are all in files, and all sets
  /// after it, beyond `keep` where the writers of output are behind the model.
  static Restart open(const Output& output, const RestartSettings& settings);
  /// Without output. Collective over ranks.comm. Both throw Error(user) on unknown modes and unfit
  /// numbers of ranks.
  static Restart open(const RestartRanks& ranks, const RestartSettings& settings);
  Restart(Restart&&) noexcept;
  Restart& operator=(Restart&&) noexcept;
  ~Restart();

  /// On restart ranks: works until every compute rank has called close().
  void serve();

  void define(std::span<const OwnedPoints> points);  ///< once, before fields
  /// Best before the output's end_definition, which then compares what ranks defined, and takes
  /// the directory: another restart that is open may not write into it. Otherwise the first
  /// write does. Both throw the same Error(user) on all compute ranks.
  void define(const FieldInfo& field);

  /// Writes one set: views[field] in the order of definition. With an output: after its end_time of
  /// the same time; a time that end_time has passed is refused. Returns when the views may be
  /// overwritten; in modes with restart ranks that is before the set is whole. Throws the same
  /// Error on all compute ranks if this or an earlier set failed.
  void write(ModelTime time, std::span<const FieldView> views, const RestartScalars& scalars);
  /// Looks for news without waiting: completes sets that are on disk (manifest, keep). Call it
  /// every step.
  void check();
  /// Waits until the set under way is whole or given up.
  void complete();
  /// The same, and the end of the restart.
  void close();
  /// The end of a run that failed elsewhere: waits for the set under way, for no other compute
  /// rank. Destruction without close() does the same. Not collective.
  void leave();

 private:
  struct State;
  explicit Restart(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// The end of a model's run: completes the restart (if any) first, so that a checkpoint under way
/// becomes whole whatever becomes of the output; then closes both, always. Throws the first
/// failure.
void close_both(Output& output, Restart* restart);

/// The newest whole set below `directory` (sizes and checksums of the manifest hold), or nothing.
/// Sets that are damaged are named in `damaged`, one sentence each. Collective over comm.
struct RestartSet {
  std::string path;  ///< "" = none found
  ModelTime time;
  RestartScalars scalars;
  std::vector<std::string> damaged;
  std::vector<std::string> unfit;  ///< newer sets that are passed over, one clause each: and why
};
/// `unfit`: asked on rank 0 of a set's time and the BegunRun::run that wrote it, says as a clause
/// why it is to be passed over; "" = it fits.
RestartSet find_restart(
    MPI_Comm comm, const std::string& directory,
    const std::function<std::string(ModelTime, const std::string&)>& unfit = {});

/// Where a run begins that looks for a checkpoint.
struct Beginning {
  RestartSet set;           ///< without a path: at the start
  bool same_files = false;  ///< the files that are there go on (Output::continue_after), or, at the
                            ///< start, are begun again (Output::begin_again)
  std::set<std::string> sets = {};  ///< what was there when find_beginning() looked
};
/// Another output of the program in the same directory.
struct OutputBeside {
  OutputSettings settings;
  std::vector<StreamSettings> streams;
};
/// `beside`: all other outputs of the program in settings.directory, so that all of them begin at
/// the same time. `own`: where this output's own sets go, RestartSettings::directory.
/// `directory`: of sets. Where it is `own`, that of the output's own run, a set counts if the
/// outputs before it are all in files; if there is none, but the run itself began from a set of
/// another directory, it is that one. Without a path: there is no set, or, with `set.unfit`, the
/// output is behind all of them. Throws Error(user) and changes nothing if no set is left that is
/// not damaged, if the files were begun with other streams, or if nothing tells what they hold.
/// Collective over comm.
Beginning find_beginning(MPI_Comm comm, const std::string& directory, const std::string& own,
                         const OutputSettings& settings, std::span<const StreamSettings> streams,
                         std::span<const OutputBeside> beside = {});
/// Rank 0, by Output::once_defined() of the run that begins so: removes the sets below its `own`
/// directory that are of later times. The model goes another way there, or the same once more.
/// Throws Error(user) if the sets there are not those that find_beginning() saw: another program
/// has gone on with them.
void remove_later_sets(const std::string& own, const Beginning& beginning);

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
