// SPDX-License-Identifier: Apache-2.0
// The order of calls in a run: what is forgotten, said twice, or stepped over is never silent.
#include <doctest/doctest.h>

#include <filesystem>
#include <optional>
#include <vector>

#include "all_ranks.hpp"
#include "said.hpp"
#include "thalweg/error.hpp"
#include "thalweg/output.hpp"

using namespace thalweg;

namespace {

constexpr std::int64_t run_cells = 20;

/// A run with one field and one stream.
struct Run {
  SharedDirectory directory;
  std::vector<std::int64_t> points;
  std::vector<double> values;
  std::optional<Output> output;

  explicit Run(StreamSettings stream, ModelTime duration = {}) {
    OutputSettings settings;
    settings.directory = directory.path;
    settings.duration = duration;
    for (auto point = world_rank(); point < run_cells; point += world_size())
      points.push_back(point);
    values.assign(points.size(), 1.0);
    output.emplace(Output::open(MPI_COMM_WORLD, settings));
    output->define(std::vector<OwnedPoints>{{Place::cell, run_cells, points}});
    output->define(FieldInfo{"a", "", "", "1", Place::cell, 1});
    output->define(stream);
  }
  void put(double time_s) { output->put("a", {values.data(), 1, 0}, time_s); }
  void put_and_end(double time_s) {
    put(time_s);
    output->end_time(time_s);
  }
};

StreamSettings stream_each(double interval_s, double end_s) {
  StreamSettings stream;
  stream.interval = interval_s;
  stream.end = end_s;
  return stream;
}

constexpr auto never_ended =
    "fields were put at 0 s, but end_time(0) was never called: call it after the last put of every "
    "output time";

}  // namespace

TEST_SUITE_BEGIN("put");

TEST_CASE("a_forgotten_end_time_is_named_by_the_next_put_and_by_close") {
  Run run(stream_each(3600.0, 7200.0));
  run.put(0.0);
  CHECK(sentence_of(Blame::user, [&] { run.put(3600.0); }) == never_ended);
  MPI_Barrier(MPI_COMM_WORLD);  // a rank that hears of another's failure says its sentence
  CHECK(sentence_of(Blame::user, [&] { run.output->close(); }).ends_with(never_ended));
}

TEST_CASE("a_forgotten_end_time_is_named_by_that_of_another_time") {
  Run run(stream_each(3600.0, 7200.0));
  run.put(0.0);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(sentence_of(Blame::user, [&] { run.output->end_time(600.0); }).ends_with(never_ended));
}

TEST_CASE("a_time_that_is_complete_may_be_ended_again") {
  Run run(stream_each(3600.0, 7200.0));
  run.put_and_end(0.0);
  CHECK(sentence_of(Blame::user, [&] { run.output->end_time(0.0); }) == "");
  run.put_and_end(3600.0);
  CHECK(sentence_of(Blame::user, [&] { run.output->close(); }) == "");
  CHECK(run.output->outputs_written() == 2);
}

TEST_CASE("output_times_that_the_model_steps_over_are_told_of_once_and_counted") {
  const auto said = said_in([] {
    Run run(stream_each(420.0, 7200.0));
    for (double time_s = 0.0; time_s <= 7200.0; time_s += 600.0) {
      if (run.output->due(time_s)) run.put_and_end(time_s);
    }
    run.output->close();
  });
  CHECK(said ==
        (world_rank() != 0
             ? ""
             : "thalweg: warning: stream 'out' was due at 420 s, but no put came: the model went "
               "on to 4200 s; make the interval a multiple of the model's time step\n"
               "thalweg: warning: stream 'out': output times passed over, which are in no file: "
               "16\n"));
}

TEST_CASE("what_a_stream_writes_no_more_after_its_own_end_is_no_fault") {
  const auto said = said_in([] {
    Run run(stream_each(600.0, 1200.0), 7200.0);
    for (double time_s = 0.0; time_s <= 7200.0; time_s += 600.0) {
      if (run.output->due(time_s)) run.put_and_end(time_s);
    }
    run.output->close();
    CHECK(run.output->outputs_written() == 3);
  });
  CHECK(said == "");
}

TEST_CASE("outputs_after_the_end_of_the_run_are_refused_by_every_call_and_by_close") {
  Run run(stream_each(600.0, 0.0), 1200.0);
  for (const double time_s : {0.0, 600.0, 1200.0}) run.put_and_end(time_s);
  const std::string expected =
      "stream 'out' would be due at 1800 s, but the run ends at 1200 s, [time] duration: nothing "
      "after that is written; make duration as long as the run, or give the stream an end before "
      "it";
  CHECK(sentence_of(Blame::user, [&] { static_cast<void>(run.output->due(1800.0)); }) == expected);
  CHECK(sentence_of(Blame::user, [&] { static_cast<void>(run.output->wants("a", 1800.0)); }) ==
        expected);
  CHECK(sentence_of(Blame::user, [&] { run.put(1800.0); }) == expected);
  CHECK(sentence_of(Blame::user, [&] { run.output->end_time(1800.0); }) == expected);
  CHECK(sentence_of(Blame::user, [&] { run.output->close(); }) == expected);
  MPI_Barrier(MPI_COMM_WORLD);
  // What was put before is whole.
  CHECK(std::filesystem::exists(run.directory.path + "/out_20000101T000000Z.nc"));
}

TEST_CASE("a_stream_without_an_end_needs_the_duration_of_the_run") {
  CHECK(sentence_of(Blame::user, [&] { Run run(stream_each(600.0, 0.0)); }) ==
        "[[output]] 'out': it has no end, and the run has no duration; give one of both "
        "(StreamSettings::end, OutputSettings::duration)");
  Run run(stream_each(600.0, 0.0), 1200.0);
  for (const double time_s : {0.0, 600.0, 1200.0}) run.put_and_end(time_s);
  run.output->close();
  CHECK(run.output->outputs_written() == 3);
}

TEST_SUITE_END();
