// SPDX-License-Identifier: Apache-2.0
// The times, partitions and files of streams.
#include "output/schedule.hpp"

#include <doctest/doctest.h>

#include "output/dates.hpp"
#include "thalweg/error.hpp"

using namespace thalweg;

TEST_CASE("a stream is due at its start, every interval, and not after its end") {
  StreamSettings stream;
  stream.interval_s = 3600.0;
  stream.start_s = 1800.0;
  stream.end_s = 9000.0;
  const Schedule schedule(stream);
  CHECK(schedule.steps() == 3);
  CHECK_FALSE(schedule.step_at(0.0));
  CHECK(schedule.step_at(1800.0) == 0);
  CHECK(schedule.step_at(9000.0001) == 2);
  CHECK_FALSE(schedule.step_at(12600.0));
  CHECK_FALSE(schedule.step_at(3600.0));
}

TEST_CASE("every_step_lies_in_exactly_one_file_of_its_partition") {
  StreamSettings stream;
  stream.interval_s = 600.0;
  stream.end_s = 86400.0;
  stream.file_interval_s = 21600.0;
  stream.partitions = 3;
  const Schedule schedule(stream);
  int seen = 0;
  for (std::size_t file = 0; file < schedule.files().size(); ++file) {
    for (const int step : schedule.files()[file].steps) {
      CHECK(schedule.partition_of(step) == schedule.files()[file].partition);
      CHECK(schedule.file_of(step) == static_cast<int>(file));
      ++seen;
    }
  }
  CHECK(seen == schedule.steps());
  CHECK(schedule.steps() == 145);
  CHECK(schedule.files().size() == 4 * 3 + 1);  // the output at 24 h opens a fifth interval
}

TEST_CASE("a_continued_run_writes_what_comes_after_its_checkpoint") {
  StreamSettings hourly;
  hourly.interval_s = 3600.0;
  hourly.end_s = 6 * 3600.0;
  StreamSettings late = hourly, ended = hourly;
  late.start_s = 4 * 3600.0;
  ended.end_s = 2 * 3600.0;
  const auto left = streams_after({hourly, late, ended}, 2 * 3600.0);
  REQUIRE(left.size() == 2);
  CHECK(left[0].start_s ==
        3 * 3600.0);  // the output at the checkpoint's time was written before it
  CHECK(left[1].start_s == 4 * 3600.0);
  CHECK(streams_after({hourly}, 2.5 * 3600.0).front().start_s == 3 * 3600.0);
  CHECK(streams_after({hourly}, 0.0).front().start_s == 0.0);
  CHECK(streams_after({hourly}, 6 * 3600.0).empty());
}

TEST_CASE("dates run over the end of a leap month") {
  CHECK(short_date_after("2000-02-28T23:00:00Z", 7200.0) == "20000229T010000Z");
  CHECK_THROWS_AS(short_date_after("2001-02-29T00:00:00Z", 0.0), Error);
}
