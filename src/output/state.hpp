// SPDX-License-Identifier: Apache-2.0
// What an output is inside: who takes part, what was defined, and whether it still works.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "output/beyond_run.hpp"
#include "output/deal/definition.hpp"
#include "output/files/stream_locks.hpp"
#include "output/move/engine.hpp"
#include "ranks/failure_news.hpp"
#include "ranks/finalize_watch.hpp"
#include "ranks/one_caller.hpp"
#include "ranks/question.hpp"
#include "ranks/ranks.hpp"
#include "ranks/roles.hpp"
#include "redist/host_values.hpp"
#include "redist/plan.hpp"
#include "thalweg/output.hpp"

namespace thalweg {

struct Output::State {
  Definition definition;
  Ranks ranks;
  Role role = Role::compute;
  MPI_Comm restart = MPI_COMM_NULL;  // compute ranks, then restart ranks; null on I/O ranks
  OwnedRuns runs;
  PerPlace<std::vector<std::int64_t>> positions;  // of owned points in model arrays
  HostValues host_values;                         // of the field that is put
  PerPlace<std::int64_t> owned{};                 // points of this rank
  std::optional<FailureNews> news;                // not on restart ranks
  std::unique_ptr<Engine> engine;                 // compute ranks, from the end of definition on
  std::vector<std::vector<bool>> put_seen;        // [stream][position] of the output time under way
  std::function<void()> once_defined;             // compute rank 0
  std::function<void(const AwaitRequest&)> compare_more;  // Company::at_definition
  std::function<void()> take_more;
  MPI_Comm agreement = MPI_COMM_NULL;  // compute ranks
  Question<5> together;  // who has failed, and do all do the same; asked each time step
  Together asked = Together::definition;  // what this rank was there for
  ModelTime asked_at;                     // of an output time that it ended
  bool unheard = false;                   // the answer
  bool writers_answer = false;  // the next answer comes when compute ranks have written their files
  int outputs = 0, dropped = 0;
  std::optional<ModelTime> ended_time;                      // the last that end_time was called for
  std::optional<ModelTime> first_checkpoint;                // that may come after ended_time
  std::optional<ModelTime> open_time;                       // of fields put since then
  std::map<std::string, std::string, std::less<>> refused;  // [field] why its last put was
  ModelTime checkpoint;                                     // the last that was written
  std::optional<ModelTime> undefined_beside;  // since when another output of the directory is
  ModelTime latest;                           // that was given
  enum Given { in_question, with_put };
  struct Clock {
    std::optional<double> latest_s;  // the last time that was given
    double step_s = 0.0;             // from the one before it, in seconds; 0 = not known
  };
  std::array<Clock, 2> clocks;  // [Given]
  bool ends_each_step = false;  // end_time, or a put, came at a time without output
  struct Turn {
    int next = 0;         // the output that comes next
    int passed_over = 0;  // output times at which nothing was put
  };
  std::vector<Turn> turns;              // [stream]
  std::optional<BeyondRun> beyond_run;  // the last refusal of a time after the end of the run
  std::vector<int> handed_over;         // [lane] the last step, -1 = none
  std::int64_t bytes = 0;
  bool served = false;           // on I/O ranks
  bool ended = false;            // orderly: together with all ranks
  std::optional<Error> failure;  // what every later call throws
  bool told = false;             // the other ranks know of it, or know that this one has ended
  bool open = false;             // on compute and I/O ranks, until close, serve or a failure
  std::optional<FinalizeWatch> watch;
  std::optional<StreamLocks> locks;  // rank 0, while open

  State() = default;
  ~State();

  /// Of this process, in the order in which they were opened; for one thread at a time.
  static std::vector<const State*>& all_open();
  void begin();
  void end();

  /// The beginning of every call: one thread at a time, none after a failure.
  std::unique_lock<std::recursive_mutex> enter();
  /// Runs a part of a call; its error is the failure of this output, and the other ranks are told.
  template <class Act>
  auto keep_failure(const Act& act) {
    try {
      return act();
    } catch (const std::exception& error) {
      fail_and_throw(error);
    }
  }
  /// The same, of what was caught.
  [[noreturn]] void fail_and_throw(const std::exception& caught);
  void fail(const Error& error);
  /// Throws where this rank takes no part in a call of compute ranks.
  void require_compute(const char* call) const;
  /// The same, and where the output was closed.
  void require_part(const char* call) const;
  /// Tells the other ranks, if MPI can be called here, that this one takes no part any more.
  void tell_of_failure(bool all_know);
  /// A rank that goes without close: the others are told, nobody waits.
  void abandon(std::string_view how) noexcept;

  /// Collective: the definitions are complete and the same everywhere; builds the engine.
  void end_definition();
  void compare_definitions();
  /// Collective: no other output writes the same files, and none is left of an interrupted run.
  void take_files();
  /// Collective: all compute ranks have the same failure, and know that all have.
  [[noreturn]] void fail_everywhere(const Error& error);
  void require_open_definition(const char* what) const;

  /// Takes what came from other ranks; throws if one has left.
  void hear();
  /// Waits for other compute ranks; throws if a rank has left.
  void await(MPI_Request& request, std::string_view what);
  void ask(Together call, ModelTime at = {});
  bool all_the_same();
  /// Completes the question asked last; throws on all compute ranks if some rank had failed, or was
  /// there for something else.
  void hear_answer();
  /// A rank that waits for something else would never hear that some are there for another call.
  void look_for_difference();
  /// Both, now.
  void meet(Together call);
  [[noreturn]] void end_together(int failed);
  [[noreturn]] void tell_who_differs();
  void check();
  Coverage coverage(ModelTime time) const;
  /// Another output of the directory is not defined, at a checkpoint of this time.
  void tell_of_undefined(ModelTime time);
  /// For whoever continues from a checkpoint of this time.
  void note_reached(ModelTime time);
  void put(std::string_view field, const FieldView& view, ModelTime time);
  /// The view, or one of a copy, where its values lie on a device.
  FieldView readable(const FieldView& view, const FieldInfo& field);
  void end_time(ModelTime time);
  /// Of a time between milliseconds, at which nothing is due.
  void end_between(double time_s);
  void require_forward(double time_s) const;

  /// Nothing where `time_s` lies between milliseconds. Throws if it is much nearer to an output
  /// time than a time step is long: a sum of time steps that has drifted would leave its output out
  /// without a word.
  std::optional<ModelTime> time_of(double time_s, Given given);
  bool is_due(ModelTime time) const;
  /// Throws if a stream is due at most `nearest`, in seconds, before or after.
  void require_undrifted(double time_s, double nearest) const;
  /// time_of(), which the model has come to, or looks ahead to.
  std::optional<ModelTime> time_asked_for(double time_s, Given given);
  /// Throws if a stream would be due at `time`, but for the end of the run.
  void require_within_run(ModelTime time);
  /// Throws if a checkpoint of a later time was written.
  void require_after_checkpoint(ModelTime time) const;
  /// Throws if fields of another time were put and not ended.
  void require_nothing_open_but(std::optional<ModelTime> time) const;
  /// Output times before `reached` that did not come: the first of a stream is told of.
  void pass_over(ModelTime reached);
  /// At close: how many there were.
  void count_passed_over();
};

}  // namespace thalweg
