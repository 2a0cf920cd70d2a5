// SPDX-License-Identifier: Apache-2.0
// A run continues from a checkpoint before which output times were passed over.
#include "output/files/reached.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <vector>

#include "all_ranks.hpp"
#include "output/deal/describe_file.hpp"
#include "output/files/begun.hpp"
#include "output/files/coverage.hpp"
#include "output/files/kept_files.hpp"
#include "thalweg/error.hpp"
#include "thalweg/output.hpp"

using namespace thalweg;
namespace fs = std::filesystem;

namespace {

struct Streams {
  OutputSettings settings;
  StreamSettings stream;

  explicit Streams(const SharedDirectory& directory) {
    settings.mode = "serial";
    settings.directory = directory.path;
    stream.interval = 10.0;
    stream.end = 100.0;
    stream.file_interval = 20.0;
  }

  std::string missing(double time_s) const {
    return missing_output(settings, std::span(&stream, 1), time_s);
  }

  /// One rank. Puts at these times and ends every fifth second from the first to `last_s`, of which
  /// it notes a checkpoint.
  void run(const std::vector<double>& times_s, double last_s, std::optional<double> after_s) const {
    auto output = Output::open(MPI_COMM_WORLD, settings);
    if (after_s) output.continue_after(*after_s, true);
    static const std::vector<std::int64_t> cells{0, 1, 2};
    output.define(std::vector<OwnedPoints>{{Place::cell, 3, cells}});
    output.define(FieldInfo{"deep", "", "", "1", Place::cell, 1});
    output.define(stream);
    output.end_definition();
    const std::vector<double> values{1.0, 2.0, 3.0};
    for (const double time_s : times_s) {
      output.put("deep", {values.data(), 1, 1}, time_s);
      output.end_time(time_s);
    }
    output.end_time(last_s);
    output.company().note_checkpoint(last_s);
    output.close();
  }
};

std::string journal_of_hour(const SharedDirectory& directory, const char* seconds) {
  return fmt::format("{}/journal/out_20000101T0000{}Z.nc.jsonl", directory.path, seconds);
}

}  // namespace

TEST_CASE("a_checkpoint_after_passed_over_times_is_continued") {
  if (world_size() > 1) return;
  const SharedDirectory directory;
  const Streams streams(directory);
  streams.run({0.0, 10.0}, 25.0, std::nullopt);  // 20 s was passed over: its file is not made
  CHECK(streams.missing(25.0) == "");
  streams.run({30.0, 40.0}, 45.0, 25.0);
  CHECK(read_journal(journal_of_hour(directory, "00"))->lines.size() == 2);
  CHECK(read_journal(journal_of_hour(directory, "20"))->lines.size() == 1);
  CHECK(read_journal(journal_of_hour(directory, "40"))->lines.size() == 1);
  CHECK(streams.missing(45.0) == "");
  streams.run({}, 57.0, 45.0);  // nothing more: what was handed over before is still known
  CHECK(streams.missing(57.0) == "");
  fs::remove(journal_of_hour(directory, "40"));
  fs::remove(directory.path + "/out_20000101T000040Z.nc");
  CHECK(streams.missing(57.0).find("the output of stream 'out' at 40 s is not in") == 0);
}

TEST_CASE("a_lost_file_is_not_taken_for_one_that_was_passed_over") {
  if (world_size() > 1) return;
  const SharedDirectory directory;
  const Streams streams(directory);
  streams.run({0.0, 10.0, 20.0}, 25.0, std::nullopt);
  fs::remove(journal_of_hour(directory, "20"));
  fs::remove(directory.path + "/out_20000101T000020Z.nc");
  CHECK_THROWS_WITH_AS(streams.run({30.0}, 35.0, 25.0), doctest::Contains("there is no '"), Error);
}

TEST_CASE("what_cannot_be_read_of_it_asks_more_of_the_files_and_never_less") {
  if (world_size() > 1) return;
  const SharedDirectory directory;
  const Streams streams(directory);
  streams.run({0.0}, 25.0, std::nullopt);
  CHECK(streams.missing(25.0) == "");
  CHECK(streams.missing(24.0) != "");
  fs::resize_file(directory.path + "/journal/reached.json", 20);
  CHECK(streams.missing(25.0) != "");
}

TEST_CASE("each_stream_is_asked_for_what_it_had_handed_over_itself") {
  if (world_size() > 1) return;
  const SharedDirectory directory;
  OutputSettings settings;
  settings.mode = "serial";
  settings.directory = directory.path;
  std::vector<StreamSettings> both(2);
  both[0].name = "seldom";
  both[0].interval = 1000.0;
  both[0].partitions = 2;
  both[1].name = "often";
  both[1].interval = 10.0;
  auto definition = definition_of(settings, [&] {
    for (auto& stream : both) stream.end = 2000.0;
    return std::span<const StreamSettings>(both);
  }());
  CHECK(definition.streams[1].first_lane == 2);
  fs::create_directories(directory.path + "/journal");
  write_reached(definition, 40.0, {{0, -1, 4}, {1, 5}});
  const auto reached = read_reached(definition, 40.0);
  CHECK(reached.next == std::vector<int>{1, 5});
  CHECK(reached.last == std::vector<int>{0, -1, 4});
  for (const char* name : {"seldom_p1of2", "often"}) {
    const auto path = fmt::format("{}/journal/{}_20000101T000000Z.nc.jsonl", directory.path, name);
    Journal journal(path, JournalContent());
    journal.add({0, 0.0, false, JournalJson::object()});
  }
  CHECK(missing_output(definition, 40.0).find("the output of stream 'often' at 40 s is not") == 0);
}

TEST_CASE("an_output_before_a_checkpoint_that_was_written_is_refused") {
  if (world_size() > 1) return;
  const SharedDirectory directory;
  const Streams streams(directory);
  auto output = Output::open(MPI_COMM_WORLD, streams.settings);
  static const std::vector<std::int64_t> cells{0};
  output.define(std::vector<OwnedPoints>{{Place::cell, 1, cells}});
  output.define(FieldInfo{"deep", "", "", "1", Place::cell, 1});
  output.define(streams.stream);
  output.end_definition();
  const double value = 1.0;
  output.put("deep", {&value, 1, 1}, 0.0);
  output.end_time(0.0);
  output.company().note_checkpoint(15.0);
  CHECK_THROWS_WITH_AS(output.put("deep", {&value, 1, 1}, 10.0),
                       doctest::Contains("an output of 10 s comes after the checkpoint of 15 s"),
                       Error);
  output.put("deep", {&value, 1, 1}, 20.0);
  output.end_time(20.0);
  output.close();
}

TEST_CASE("what_an_abandoned_run_had_reached_says_nothing_of_the_next_one") {
  if (world_size() > 1) return;
  const SharedDirectory directory;
  const Streams streams(directory);
  streams.run({0.0, 10.0}, 95.0, std::nullopt);  // passes over all that comes then
  CHECK(streams.missing(95.0) == "");
  const auto before = find_begun_run(streams.settings, std::span(&streams.stream, 1));
  streams.run({0.0}, 5.0, std::nullopt);
  CHECK(streams.missing(5.0) == "");
  CHECK(streams.missing(95.0) != "");
  const auto now = find_begun_run(streams.settings, std::span(&streams.stream, 1));
  CHECK(now->run.size() == 16);
  CHECK(now->run != before->run);
  streams.run({10.0}, 15.0, 5.0);  // goes on, so it is the same run
  CHECK(find_begun_run(streams.settings, std::span(&streams.stream, 1))->run == now->run);
}

TEST_CASE("journals_of_another_run_under_the_same_names_do_not_count") {
  if (world_size() > 1) return;
  const SharedDirectory directory, elsewhere;
  const Streams streams(directory), others(elsewhere);
  streams.run({0.0, 10.0, 20.0}, 25.0, std::nullopt);
  CHECK(streams.missing(20.0) == "");
  others.run({0.0, 10.0, 20.0}, 25.0, std::nullopt);
  const auto name = journal_of_hour(directory, "20");
  fs::copy_file(journal_of_hour(elsewhere, "20"), name, fs::copy_options::overwrite_existing);
  CHECK(streams.missing(20.0).find("the output of stream 'out' at 20 s is not in") == 0);
}

TEST_CASE("a_file_of_the_way_that_is_taken_anew_goes_where_nothing_of_it_is_kept") {
  if (world_size() > 1) return;
  const SharedDirectory directory;
  const Streams streams(directory);
  streams.run({0.0, 10.0}, 25.0, std::nullopt);  // 20 s was passed over
  streams.run({30.0, 40.0}, 45.0, 25.0);
  const auto file = directory.path + "/out_20000101T000020Z.nc";
  CHECK(fs::exists(file));
  streams.run({}, 57.0, 25.0);  // from there again, and 30 s and 40 s are passed over, too
  CHECK_FALSE(fs::exists(file));
  CHECK_FALSE(fs::exists(directory.path + "/out_20000101T000040Z.nc"));
  CHECK(streams.missing(57.0) == "");
  streams.run({60.0}, 65.0, 57.0);
  CHECK(streams.missing(65.0) == "");
}

TEST_CASE("a_complete_file_may_hold_later_times_until_it_is_opened_again") {
  if (world_size() > 1) return;
  const SharedDirectory directory;
  Streams streams(directory);
  streams.stream.file_interval = 40.0;
  streams.run({0.0, 10.0, 20.0, 30.0}, 35.0, std::nullopt);
  streams.stream.end = 10.0;  // of a file that goes on to 30 s
  auto definition = definition_of(streams.settings, std::span(&streams.stream, 1));
  definition.fields.push_back({"deep", "", "", "1", Place::cell, 1});
  definition.streams[0].fields = {0};
  definition.sizes[Place::cell] = 3;
  definition.continue_after(10.0, true);
  definition.begun = *find_begun_run(streams.settings, std::span(&streams.stream, 1));
  const auto lanes = divide_lanes(definition, 1);
  const auto kept = require_kept(definition, lanes);
  REQUIRE(kept.size() == 1);
  rewind_journals(definition, kept);
  const auto settings = file_settings(definition, lanes[0], 0, 0);
  auto content = kept_of(definition, lanes[0], 0, 0, settings);
  REQUIRE(content);
  Journal(journal_of(definition, 0, 0), *content);  // as the head does, and is killed
  content = kept_of(definition, lanes[0], 0, 0, settings);
  REQUIRE(content);
  CHECK(content->lines.size() == 2);
  streams.run({}, 12.0, 10.0);
  CHECK_FALSE(kept_of(definition, lanes[0], 0, 0, settings));
}
