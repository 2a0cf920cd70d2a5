// SPDX-License-Identifier: Apache-2.0
// Which puts are refused, and that nothing which was passed over comes under another time.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <utility>
#include <vector>

#include "all_ranks.hpp"
#include "output/files/coverage.hpp"
#include "output/files/kept_files.hpp"
#include "said.hpp"
#include "thalweg/error.hpp"
#include "thalweg/output.hpp"

using namespace thalweg;

namespace {

/// On one rank: a field 'deep' of one level, in a stream of eleven times.
Output output_of_three_cells(const OutputSettings& settings, double interval_s) {
  auto output = Output::open(MPI_COMM_WORLD, settings);
  static const std::vector<std::int64_t> cells{0, 1, 2};
  output.define(std::vector<OwnedPoints>{{Place::cell, 3, cells}});
  output.define(FieldInfo{"deep", "", "", "1", Place::cell, 1});
  StreamSettings stream;
  stream.interval = interval_s;
  stream.end = 10.0 * interval_s;
  output.define(stream);
  return output;
}

Output output_of_three_cells(const SharedDirectory& directory, double interval_s) {
  OutputSettings settings;
  settings.mode = "serial";
  settings.directory = directory.path;
  return output_of_three_cells(settings, interval_s);
}

}  // namespace

TEST_CASE("a field that is put twice at one time is refused") {
  if (world_size() > 1) return;
  const SharedDirectory directory;
  auto output = output_of_three_cells(directory, 10.0);
  const std::vector<double> values{1.0, 2.0, 3.0};
  output.put("deep", {values.data(), 1, 1}, 0.0);
  CHECK_THROWS_WITH_AS(output.put("deep", {values.data(), 1, 1}, 0.0),
                       doctest::Contains("'deep' was put twice at 0 s"), Error);
}

TEST_CASE("what_was_passed_over_is_not_put_under_the_next_time") {
  if (world_size() > 1) return;
  const SharedDirectory directory;
  auto output = output_of_three_cells(directory, 10.0);
  const std::vector<double> values{1.0, 2.0, 3.0};
  const FieldView view{values.data(), 1, 1};
  output.end_time(3.0);
  CHECK_FALSE(output.wants("deep", 0.0));
  CHECK_FALSE(output.due(0.0));
  CHECK_THROWS_WITH_AS(output.put("deep", view, 0.0),
                       doctest::Contains("but end_time was called for 3 s: times go forward"),
                       Error);
  CHECK(output.wants("deep", 10.0));
  output.put("deep", view, 10.0);
  output.end_time(10.0);
  CHECK_NOTHROW(output.end_time(10.0));
  CHECK_THROWS_WITH_AS(output.end_time(5.0),
                       "end_time was called for 5 s after 10 s: times go forward", Error);
}

TEST_CASE("a_run_that_ended_early_covers_the_times_that_it_wrote_and_no_later_ones") {
  if (world_size() > 1) return;
  const SharedDirectory directory;
  const std::vector<double> values{1.0, 2.0, 3.0};
  {
    auto output = output_of_three_cells(directory, 10.0);
    for (const double time_s : {0.0, 10.0}) {
      output.put("deep", {values.data(), 1, 1}, time_s);
      output.end_time(time_s);
    }
    output.close();
  }
  OutputSettings settings;
  settings.mode = "serial";
  settings.directory = directory.path;
  StreamSettings stream;
  stream.interval = 10.0;
  stream.end = 100.0;
  const auto missing = [&](double time_s) {
    return missing_output(settings, std::span(&stream, 1), time_s);
  };
  CHECK(missing(10.0) == "");
  CHECK(missing(19.0) == "");
  CHECK(missing(20.0).find("the output of stream 'out' at 20 s is not in") == 0);
}

TEST_CASE("a_run_that_replaces_an_earlier_ones_output_says_so") {
  if (world_size() > 1) return;
  const SharedDirectory directory;
  const std::vector<double> values{1.0, 2.0, 3.0};
  const auto run = [&] {
    auto output = output_of_three_cells(directory, 10.0);
    output.put("deep", {values.data(), 1, 1}, 0.0);
    output.end_time(0.0);
    output.close();
  };
  const auto warning = fmt::format("'{}' holds output of an earlier run", directory.path);
  CHECK(said_in(run).find(warning) == std::string::npos);
  CHECK(said_in(run).find(warning) != std::string::npos);
}

TEST_CASE("journals_of_files_elsewhere_are_not_written_over") {
  if (world_size() > 1) return;
  const SharedDirectory one, other, journals;
  const std::vector<double> values{1.0, 2.0, 3.0};
  const auto run = [&](const SharedDirectory& directory) {
    OutputSettings settings;
    settings.mode = "serial";
    settings.directory = directory.path;
    settings.journals = journals.path;
    auto output = output_of_three_cells(settings, 10.0);
    output.put("deep", {values.data(), 1, 1}, 0.0);
    output.end_time(0.0);
    output.close();
  };
  CHECK_NOTHROW(run(one));
  CHECK_THROWS_WITH_AS(run(other), doctest::Contains("holds the journals of stream 'out' in '"),
                       Error);
  CHECK(read_journal_end(journals.path + "/out_20000101T000000Z.nc.jsonl")->closed);  // untouched
  CHECK_NOTHROW(run(one));
}

TEST_CASE("a_view_whose_values_would_all_be_one_is_refused") {
  if (world_size() > 1) return;
  const SharedDirectory directory;
  OutputSettings settings;
  settings.mode = "serial";
  settings.directory = directory.path;
  auto output = Output::open(MPI_COMM_WORLD, settings);
  const std::vector<std::int64_t> cells{0, 1, 2, 3};
  output.define(std::vector<OwnedPoints>{{Place::cell, 4, cells}});
  output.define(FieldInfo{"deep", "", "", "1", Place::cell, 3});
  StreamSettings stream;
  stream.interval = 10.0;
  stream.end = 20.0;
  output.define(stream);
  const std::vector<double> values(12, 1.0);
  const std::pair<FieldView, const char*> wrong[] = {
      {{values.data()}, "'deep' was put with level_stride = 0, but it has 3 levels"},
      {{values.data(), 0, 4}, "point_stride = 0, but it has 4 points"},
      {{values.data(), 1, 2, ValueType::float64, 2, 0}, "block_stride = 0, but it has 4 points"}};
  for (const auto& [view, sentence] : wrong)
    CHECK_THROWS_WITH_AS(output.put("deep", view, 0.0), doctest::Contains(sentence), Error);
  output.put("deep", {values.data(), 3, 1}, 0.0);
  output.end_time(0.0);
  output.close();
}

TEST_CASE("a_time_that_has_drifted_beside_an_output_is_refused_and_not_passed_over") {
  if (world_size() > 1) return;
  const SharedDirectory directory;
  auto output = output_of_three_cells(directory, 3600.0);
  CHECK(output.wants("deep", 0.0));
  for (const double drifted_s : {3599.9995, 3600.0004}) {
    CHECK_THROWS_WITH_AS(output.wants("deep", drifted_s),
                         doctest::Contains("is due at 3600 s: a sum of time steps has drifted"),
                         Error);
    CHECK_THROWS_AS(output.due(drifted_s), Error);
  }
  CHECK_FALSE(output.wants("deep", 3600.0 / 7.0));
  const std::vector<double> values{1.0, 2.0, 3.0};
  const FieldView view{values.data(), 1, 1};
  CHECK_NOTHROW(output.put("deep", view, 3600.0 / 7.0));
  CHECK_NOTHROW(output.end_time(3600.0 / 7.0));
  CHECK_THROWS_AS(output.put("deep", view, 3599.9995), Error);
  CHECK_THROWS_AS(output.end_time(3600.0004), Error);
  CHECK(output.wants("deep", 3600.000001));
}

TEST_CASE("steps_of_less_than_a_millisecond_have_no_output_between_milliseconds") {
  if (world_size() > 1) return;
  const SharedDirectory directory;
  for (const double step_s : {0.0005, 0.0003125, 0.00025, 0.0001}) {
    auto output = output_of_three_cells(directory, 1.0);
    const std::vector<double> values{1.0, 2.0, 3.0};
    const FieldView view{values.data(), 1, 1};
    const int steps = static_cast<int>(std::lround(2.0 / step_s));
    int wanted = 0;
    for (int step = 0; step <= steps; ++step) {
      const double time_s = step * step_s;
      wanted += output.wants("deep", time_s) ? 1 : 0;
      output.put("deep", view, time_s);
      output.end_time(time_s);
    }
    CHECK(wanted == 3);
    CHECK(output.outputs_written() == 3);
    output.close();
    std::filesystem::remove_all(directory.path + "/journal");
  }
}

TEST_CASE("an_output_that_a_clock_between_milliseconds_passes_is_told_of") {
  if (world_size() > 1) return;
  const SharedDirectory directory;
  auto output = output_of_three_cells(directory, 1.0);
  const std::vector<double> values{1.0, 2.0, 3.0};
  const auto told = said_in([&] {
    for (int step = 0; step <= 1800; ++step) {
      const double time_s = 0.004 * step + (step > 40 ? 0.0015 : 0.0);  // once a jump
      output.put("deep", {values.data(), 1, 1}, time_s);
      output.end_time(time_s);
    }
    output.close();
  });
  CHECK(told.find("was due at 1 s, but no put came") != std::string::npos);
  CHECK(told.find("passed over, which are in no file: 7") != std::string::npos);
}

TEST_CASE("a_time_between_milliseconds_ends_what_lies_before_it") {
  if (world_size() > 1) return;
  const SharedDirectory directory;
  auto output = output_of_three_cells(directory, 1.0);
  const std::vector<double> values{1.0, 2.0, 3.0};
  const FieldView view{values.data(), 1, 1};
  output.put("deep", view, 0.0);
  output.end_time(0.0);
  output.end_time(1.3335);
  CHECK_FALSE(output.wants("deep", 1.0));
  CHECK_THROWS_WITH_AS(output.put("deep", view, 1.0), doctest::Contains("times go forward"), Error);
  CHECK(output.company().ended_time()->ms() == 1334);
  output.put("deep", view, 2.0);
  output.end_time(2.0);
  output.put("deep", view, 3.0);
  CHECK_THROWS_WITH_AS(output.end_time(3.3335), doctest::Contains("end_time(3) was never called"),
                       Error);
}

TEST_CASE("a_look_ahead_is_no_step_of_the_clock") {
  if (world_size() > 1) return;
  const SharedDirectory directory;
  auto output = output_of_three_cells(directory, 1.0);
  const std::vector<double> values{1.0, 2.0, 3.0};
  for (int step = 0; step <= 5000; ++step) {
    const double time_s = 0.0004 * step;
    output.put("deep", {values.data(), 1, 1}, time_s);
    output.end_time(time_s);
    if (step < 4000) CHECK(output.wants("deep", 2.0));
    CHECK_NOTHROW(output.wants("deep", time_s + 1.9996));
    CHECK_NOTHROW(output.wants("deep", time_s + 4.11));
  }
  CHECK(output.outputs_written() == 3);
  CHECK(said_in([&] { output.close(); }) == "");  // no time was passed over
}

TEST_CASE("calls_after_the_close_are_refused_on_every_rank") {
  const SharedDirectory directory;
  OutputSettings settings;
  settings.directory = directory.path;
  auto output = Output::open(MPI_COMM_WORLD, settings);
  output.close();
  const double value = 1.0;
  const auto closed = doctest::Contains("was called after the output was closed");
  CHECK_THROWS_WITH_AS(output.check(), closed, Error);
  CHECK_THROWS_WITH_AS(output.end_time(3.0), closed, Error);
  CHECK_THROWS_WITH_AS(output.put("deep", {&value}, 3.0), closed, Error);
  CHECK_THROWS_WITH_AS(output.serve(), doctest::Contains("has no output to serve"), Error);
  output.close();
}
