// SPDX-License-Identifier: Apache-2.0
// Output in four calls: open, define, put, close.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "thalweg/error.hpp"
#include "thalweg/field.hpp"
#include "thalweg/grid.hpp"
#include "thalweg/output_settings.hpp"

namespace thalweg {

/// The points of one place that this rank owns, as global indices in any order.
struct OwnedPoints {
  Place place;
  std::int64_t global_size;
  std::span<const std::int64_t> global;
  /// Position in the model's arrays of each owned point (ICON: (jb - 1) * nproma + jc - 1);
  /// empty = 0, 1, 2, ...
  std::span<const std::int64_t> positions = {};
};

/// What compute ranks do together: all of them the same, in the same order.
enum class Together { definition, step, reading, writing, closing, output_time };

/// Waits for a request, and hears of ranks that fail meanwhile; `what` for, as a clause.
using AwaitRequest = std::function<void(MPI_Request&, std::string_view what)>;

/// How compute ranks stay together; empty functions where there is no output.
struct Company {
  /// Waits until all of them are there. Throws on all of them, naming ranks, if some are there for
  /// something else, and at once if a rank has failed or takes no part any more.
  std::function<void(Together)> meet;
  /// Throws if a rank takes no part any more. Not collective.
  std::function<void()> hear;
  /// Before a checkpoint of this time is written: keeps which outputs were handed over by then.
  /// Outputs before it are refused from now on: a run that continues there would not write them.
  std::function<void(ModelTime)> note_checkpoint;
  /// The last time that end_time was called for on this rank, or the millisecond behind it. Not
  /// collective.
  std::function<std::optional<ModelTime>()> ended_time;
  /// BegunRun::run, "" before the first put. Not collective.
  std::function<std::string()> run;
  /// For the end of the definition: `compare` on all compute ranks, by what waits for a request,
  /// and `take` on rank 0, before anything is changed. What they throw is the output's failure.
  std::function<void(std::function<void(const AwaitRequest&)> compare, std::function<void()> take)>
      at_definition;
};

/// What a run that continues at a time finds in files.
struct Coverage {
  bool written = false;  ///< all outputs up to then, if no kill has broken a file
  /// [series of files that a kill may break] The first time of the file that such a run changes, if
  /// it holds earlier times, too. Else it changes none from before that time, and this is later.
  std::vector<ModelTime> changes_from;
};

/// The output of a run. Every call is collective over the compute ranks unless it says otherwise.
/// A failure on any rank (disk full, directory removed) throws the same Error on all compute ranks
/// at the next but one check(), or in close(); a rank that leaves (destruction or MPI_Finalize
/// without close) and a call refused on one rank alone end the output on all others at their next
/// call. After a failure every call throws it again at once. Only a put() that was refused changes
/// nothing. Threads take turns inside; MPI must have been initialised with MPI_THREAD_SERIALIZED or
/// more, else calls of other threads than the first are refused. Several outputs may be open at a
/// time, unless one of them has I/O or restart ranks; all ranks call them in the same order, so not
/// from two threads at once.
class Output {
 public:
  /// Collective over `world`. Unknown modes, transports or too many I/O ranks throw Error(user)
  /// everywhere, and so does what is wrong on one rank only.
  static Output open(MPI_Comm world, const OutputSettings& settings);
  Output(Output&&) noexcept;
  Output& operator=(Output&&) noexcept;
  ~Output();

  bool is_compute_rank() const;
  bool is_restart_rank() const;  ///< has no part in output: see restart.hpp
  /// Compute ranks, then restart ranks (MPI_COMM_NULL on I/O ranks); the communicator of a Restart.
  MPI_Comm restart_comm() const;
  int restart_ranks() const;  ///< of the settings
  /// Communicator of the compute ranks (MPI_COMM_NULL on I/O ranks); ranks keep their order.
  MPI_Comm compute_comm() const;
  /// On I/O ranks: works until every compute rank has called close(). Throws what made it fail.
  void serve();

  /// A global attribute of every file, before end_definition(), the same on all compute ranks. What
  /// the settings say of it stays.
  void define_attribute(const std::string& name, const std::string& text);
  // Definitions are not collective; what one of them throws is the failure of the output.
  void define(std::span<const OwnedPoints> points);  ///< once for each place, before its fields
  void define(const FieldInfo& field);
  void define(const StreamSettings& stream);  ///< unknown variables throw Error(user)
  /// Something went wrong before it came to this output: a failure of the output like any other.
  void fail(const Error& error);
  /// After the last definition: all ranks compare sizes, fields, levels, types, streams and the
  /// owned points (every point once), and all throw the same Error if they differ. The first put(),
  /// end_time(), check() or close() does it where it was left out.
  void end_definition();

  /// Before the first put of a run that continues at `time`: outputs up to then are not due, and
  /// files begin and end as if the run had never stopped. `same_files`: they are in `directory`,
  /// and those that reach beyond `time` are continued; else the new files hold later times only,
  /// and it is kept with them that the run began `from` this checkpoint, which a continuation looks
  /// for while there is no later one.
  void continue_after(ModelTime time, bool same_files, const std::string& from = "");
  /// Before the first put of a run that begins at its start, where another run of the same streams
  /// was interrupted: what that one left of their files is removed.
  void begin_again();
  /// What compute rank 0 is to do in the directory of the run at the end of definition: once all
  /// ranks agree, and no other output writes there. What it throws, all throw.
  void once_defined(std::function<void()> act);
  /// Is any stream due at exactly this time? Between two milliseconds none is; but a time between
  /// them that lies nearer to an output time than a quarter of the step from the time before throws
  /// Error(user): a sum of time steps has drifted. Not collective.
  bool due(double time_s) const;
  /// Does a due stream want this field at this time? Not collective.
  bool wants(std::string_view field, double time_s) const;
  /// Hands over one field. Returns when `view` may be overwritten, not when it is on disk. A field
  /// no stream wants at this time is ignored. Fields of one time may come in any order, the same on
  /// all ranks.
  void put(std::string_view field, const FieldView& view, ModelTime time);
  /// Between two milliseconds nothing is due, as due() has it, and it does nothing.
  void put(std::string_view field, const FieldView& view, double time_s);
  /// After the last put of an output time: the streams due are on their way. Includes a check().
  void end_time(ModelTime time);
  /// The same.
  void end_time(double time_s);
  /// Call it every time step: compute ranks learn together that a rank failed, and all throw the
  /// same Error. Costs nothing to wait for: each call completes the question that the previous call
  /// asked.
  void check();
  /// Waits until every file is complete under its final name.
  void close();

  /// What every later call throws. Not collective.
  const std::optional<Error>& failure() const;
  /// Orderly and together with all ranks: by close(), or by a failure that all took part in.
  bool ended() const;
  /// Answers for a time, when asked: is all that was put so far, up to that time, in files, also by
  /// other open outputs of this process with this directory? Reads the ends of their journals: ask
  /// on one rank, and seldom. Nothing is written once the output is gone.
  std::function<Coverage(ModelTime)> coverage() const;
  /// For what compute ranks do together beside this output. Does nothing once it is closed.
  Company company() const;
  std::string describe() const;    ///< mode and transport in force, for logs (after end_definition)
  int outputs_dropped() const;     ///< of them, by backpressure
  int outputs_written() const;     ///< output times handed over so far, summed over streams
  std::int64_t bytes_put() const;  ///< bytes of file data this output stands for so far (all ranks)

 private:
  struct State;
  explicit Output(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;  // coverage() and company() look at it
};

/// Checks a stream against the fields it may name, without MPI: throws Error(user) with one
/// sentence. `sizes`: points of [cell, edge, vertex], 0 = not known yet.
void check_stream(const StreamSettings& stream, std::span<const FieldInfo> fields,
                  const OutputSettings& settings, const PerPlace<std::int64_t>& sizes = {});
/// Checks mode, transport and numbers of ranks, without MPI.
void check_output(const OutputSettings& settings, int ranks);
/// Ranks that these settings take from the model for output: settings.io_ranks, or 0 in a mode
/// without I/O ranks. Throws Error(user) on an unknown mode.
int dedicated_io_ranks(const OutputSettings& settings);

/// What the files that another run left in settings.directory lack of the outputs up to `time`, as
/// a clause; "" = nothing. Only a checkpoint of such a time can be continued without a gap. Throws
/// Error(user) on damaged journals.
std::string missing_output(const OutputSettings& settings, std::span<const StreamSettings> streams,
                           ModelTime time);

/// How the run began whose files lie in settings.directory.
struct BegunRun {
  std::optional<ModelTime> after;  ///< the time of the checkpoint; nothing: at the start
  std::string from;                ///< path of the checkpoint
  std::string run{};  ///< a name of its own: continuations keep it, who begins anew has another
  /// [stream] The run went on from this time without it: what it has of later ones is not of the
  /// same way of the model. Nothing: it always took part; [] = all did.
  std::vector<std::optional<ModelTime>> missed_from{};
};
/// Nothing where no run of these streams has begun. Throws Error(user), with what differs, if one
/// has begun with other times of these streams or without some of them: then its files cannot be
/// continued. `goes_on`: there are checkpoints; else streams of several runs may begin again as
/// one.
std::optional<BegunRun> find_begun_run(const OutputSettings& settings,
                                       std::span<const StreamSettings> streams,
                                       bool goes_on = true);

/// A line of a list of modes. `ranks`: of their own, "none", "optional" or "required".
struct ModeInfo {
  std::string name, meaning, ranks;
  bool own_files = false;  ///< every writer has files of its own
};
/// A container and the way its bytes take. `reader`: what opens it in Python; `parts`: a file may
/// hold a part of the grid.
struct ContainerLine {
  std::string name, way, suffix, reader, meaning;
  bool parts = false;
};
/// The lists that `thalweg modes` prints.
std::vector<ModeInfo> output_modes();
std::vector<ContainerLine> output_containers();

}  // namespace thalweg
