// SPDX-License-Identifier: Apache-2.0
// Outputs of one program in one directory are one run.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "all_ranks.hpp"
#include "output/files/begun.hpp"
#include "output/files/coverage.hpp"
#include "output/files/kept_files.hpp"
#include "thalweg/error.hpp"
#include "thalweg/output.hpp"

using namespace thalweg;
namespace fs = std::filesystem;

namespace {

OutputSettings settings_of(const std::string& directory) {
  OutputSettings settings;
  settings.mode = "serial";
  settings.directory = directory;
  return settings;
}

StreamSettings stream_each(const char* name, double interval_s) {
  StreamSettings stream;
  stream.name = name;
  stream.interval = interval_s;
  stream.end = 100.0;
  stream.file_interval = 40.0;
  return stream;
}

Output open_output(const std::string& directory, const std::vector<StreamSettings>& streams,
                   std::optional<double> after_s, bool again = false) {
  auto output = Output::open(MPI_COMM_WORLD, settings_of(directory));
  if (again) output.begin_again();
  if (after_s) output.continue_after(*after_s, true);
  static const std::vector<std::int64_t> cells{0, 1, 2};
  output.define(std::vector<OwnedPoints>{{Place::cell, 3, cells}});
  output.define(FieldInfo{"deep", "", "", "1", Place::cell, 1});
  for (const auto& stream : streams) output.define(stream);
  output.end_definition();
  return output;
}

void put(Output& output, double time_s) {
  const std::vector<double> values{1.0, 2.0, 3.0};
  output.put("deep", {values.data(), 1, 1}, time_s);
  output.end_time(time_s);
}

void run_apart(const std::string& directory, const StreamSettings& one,
               const StreamSettings& other) {
  auto first = open_output(directory, {one}, std::nullopt);
  auto second = open_output(directory, {other}, std::nullopt);
  for (const double time_s : {0.0, 10.0, 20.0, 30.0, 40.0}) {
    put(first, time_s);
    put(second, time_s);
  }
  for (auto* output : {&first, &second}) output->company().note_checkpoint(45.0);
  first.close();
  second.close();
}

}  // namespace

TEST_CASE("streams_of_two_outputs_are_continued_by_one") {
  if (world_size() > 1) return;
  const SharedDirectory directory;
  const std::vector<StreamSettings> both{stream_each("often", 10.0), stream_each("seldom", 20.0)};
  run_apart(directory.path, both[0], both[1]);
  const auto settings = settings_of(directory.path);
  CHECK(missing_output(settings, both, 45.0) == "");
  auto output = open_output(directory.path, both, 45.0);
  for (const double time_s : {50.0, 60.0}) put(output, time_s);
  output.company().note_checkpoint(65.0);
  output.close();
  CHECK(missing_output(settings, both, 65.0) == "");
  for (const auto& stream : both) CHECK(missing_output(settings, {&stream, 1}, 65.0) == "");
  for (const char* name : {"often_20000101T000040Z.nc", "seldom_20000101T000040Z.nc"})
    CHECK(read_journal(directory.path + "/journal/" + name + ".jsonl")->lines.back().time == 60.0);
}

TEST_CASE("what_one_output_had_passed_over_is_not_forgotten_for_another_one") {
  if (world_size() > 1) return;
  const SharedDirectory directory;
  const std::vector<StreamSettings> both{stream_each("often", 10.0), stream_each("seldom", 20.0)};
  auto first = open_output(directory.path, {both[0]}, std::nullopt);
  auto second = open_output(directory.path, {both[1]}, std::nullopt);
  for (auto* output : {&first, &second}) {
    put(*output, 0.0);
    output->end_time(25.0);  // passes over 10 s and 20 s
    output->company().note_checkpoint(25.0);
  }
  const auto settings = settings_of(directory.path);
  for (const auto& stream : both) CHECK(missing_output(settings, {&stream, 1}, 25.0) == "");
  CHECK(missing_output(settings, both, 25.0) == "");
  first.close();
  second.close();
}

TEST_CASE("streams_of_two_runs_are_not_continued_as_one") {
  if (world_size() > 1) return;
  const SharedDirectory directory;
  const std::vector<StreamSettings> both{stream_each("often", 10.0), stream_each("seldom", 20.0)};
  run_apart(directory.path, both[0], both[1]);
  auto anew = open_output(directory.path, {both[1]}, std::nullopt);
  put(anew, 0.0);
  anew.close();
  CHECK_THROWS_WITH_AS(open_output(directory.path, both, 45.0),
                       doctest::Contains("stream 'seldom' in '"), Error);
  auto output = open_output(directory.path, {both[0]}, 45.0);
  put(output, 50.0);
  output.close();
}

TEST_CASE("a_stream_that_a_continuation_left_out_goes_on_from_before_that_only") {
  if (world_size() > 1) return;
  const SharedDirectory directory;
  const std::vector<StreamSettings> both{stream_each("often", 10.0), stream_each("seldom", 20.0)};
  const auto settings = settings_of(directory.path);
  const auto run = [&](const std::vector<StreamSettings>& streams, double begin_s, double end_s,
                       std::optional<double> after_s) {
    auto output = open_output(directory.path, streams, after_s);
    for (double time_s = begin_s; time_s <= end_s; time_s += 10.0) put(output, time_s);
    output.company().note_checkpoint(end_s + 5.0);
    output.close();
  };
  run(both, 0.0, 60.0, std::nullopt);
  run({both[0]}, 30.0, 50.0, 25.0);
  CHECK(missing_output(settings, both, 25.0) == "");
  CHECK(missing_output(settings, {both.data(), 1}, 55.0) == "");
  CHECK(missing_output(settings, both, 55.0) ==
        "the run went on from 25 s without stream 'seldom', which has outputs after that");
  CHECK_THROWS_WITH_AS(open_output(directory.path, both, 55.0),
                       doctest::Contains("the run went on from 25 s without stream 'seldom'"),
                       Error);
  run(both, 30.0, 50.0, 25.0);
  CHECK(missing_output(settings, both, 55.0) == "");
  run(both, 60.0, 80.0, 55.0);
}

TEST_CASE("what_killed_runs_left_beside_a_file_goes") {
  if (world_size() > 1) return;
  const SharedDirectory directory;
  const auto name = directory.path + "/out_20000101T000000Z";
  const std::vector<std::string> strays{name + ".nc.fitted.part", name + ".nc.part.locktest.7",
                                        name + ".nc.part-123-45.lock"};
  const std::vector<std::string> parts{name + ".003.nc.part", name + ".017.nc"};
  const auto leave = [&](const std::vector<std::string>& paths) {
    for (const auto& path : paths) std::ofstream(path) << "left";
  };
  const auto none_of = [](const std::vector<std::string>& paths) {
    return std::none_of(paths.begin(), paths.end(),
                        [](const std::string& path) { return fs::exists(path); });
  };
  const auto run = [&](double time_s, std::optional<double> after_s, bool again) {
    auto output = open_output(directory.path, {stream_each("out", 10.0)}, after_s, again);
    put(output, time_s);
    output.close();
  };
  run(0.0, std::nullopt, false);
  leave(strays);
  run(10.0, 5.0, false);
  CHECK(none_of(strays));
  leave(strays);
  leave(parts);
  run(0.0, std::nullopt, true);
  CHECK(none_of(strays));
  CHECK(none_of(parts));
}

TEST_CASE("a_file_that_a_killed_run_had_only_prepared_goes") {
  if (world_size() > 1) return;
  const SharedDirectory directory;
  const auto journal = directory.path + "/journal/out_20000101T000040Z.nc.jsonl";
  const auto aside = directory.path + "/out_20000101T000040Z.nc.part";
  {
    auto output = open_output(directory.path, {stream_each("out", 10.0)}, std::nullopt);
    for (const double time_s : {0.0, 10.0, 20.0, 30.0}) put(output, time_s);
    output.end_time(85.0);
    output.company().note_checkpoint(85.0);
    output.close();
  }
  JournalContent none;
  none.run =
      find_begun_run(settings_of(directory.path), std::vector{stream_each("out", 10.0)})->run;
  none.settings = read_journal(directory.path + "/journal/out_20000101T000000Z.nc.jsonl")->settings;
  Journal(journal, none);
  std::ofstream(aside) << "nothing yet";
  {
    auto output = open_output(directory.path, {stream_each("out", 10.0)}, 85.0);
    output.end_time(88.0);
    output.close();
  }
  CHECK_FALSE(fs::exists(aside));
  CHECK_FALSE(fs::exists(journal));
}

TEST_CASE("a_file_that_was_cut_is_refused_again_and_stays_as_it_is") {
  if (world_size() > 1) return;
  for (const std::string container : {"cdf5", "classic", "netcdf4", "chunked", "raw", "grib2"}) {
    for (const bool complete : {true, false}) {
      CAPTURE(container);
      CAPTURE(complete);
      const SharedDirectory directory;
      auto stream = stream_each("out", 10.0);
      const bool chunked = container == "chunked";
      stream.container = chunked ? "netcdf4" : container;
      stream.layout = chunked ? "chunked" : stream.layout;
      {
        auto output = open_output(directory.path, {stream}, std::nullopt);
        for (const double time_s : {0.0, 10.0, 20.0}) put(output, time_s);
        output.close();
      }
      fs::path file;
      for (const auto& entry : fs::directory_iterator(directory.path))
        if (entry.path().filename().string().find("Z.") != std::string::npos &&
            entry.path().extension() != ".json")
          file = entry.path();
      if (!complete) {
        const auto aside = file.string() + ".part";
        fs::rename(file, aside);
        fs::remove(file.string() + ".json");
        file = aside;
      }
      const auto bytes = fs::file_size(file) - (chunked ? 4096 : 4);
      fs::resize_file(file, bytes);
      for (int attempt = 0; attempt < 2; ++attempt) {
        CHECK_THROWS_WITH_AS(open_output(directory.path, {stream}, 25.0),
                             doctest::Contains("or begin anew"), Error);
        CHECK(fs::file_size(file) == bytes);
        CHECK_FALSE(fs::exists(directory.path + "/out_20000101T000000Z.nc.fitted.part"));
      }
    }
  }
}
