// SPDX-License-Identifier: Apache-2.0
// The times, partitions and files of streams.
#include "output/deal/schedule.hpp"

#include <doctest/doctest.h>

#include "field/dates.hpp"
#include "thalweg/error.hpp"

using namespace thalweg;

TEST_CASE("a stream is due at its start, every interval, and not after its end") {
  StreamSettings stream;
  stream.interval = 3600.0;
  stream.start = 1800.0;
  stream.end = 9000.0;
  const Schedule schedule(stream);
  CHECK(schedule.steps() == 3);
  CHECK_FALSE(schedule.step_at(0.0));
  CHECK(schedule.step_at(1800.0) == 0);
  CHECK(schedule.step_at(9000.0) == 2);
  CHECK_FALSE(schedule.step_at(12600.0));
  CHECK_FALSE(schedule.step_at(3600.0));
}

TEST_CASE("neighbours_of_an_output_time_are_not_due_however_long_the_interval") {
  StreamSettings stream;
  stream.interval = stream.end = 200 * 86400.0;
  const Schedule schedule(stream);
  int due = 0;
  for (std::int64_t second = 0; second <= 200 * 86400; ++second) {
    due += schedule.step_at(static_cast<double>(second)) ? 1 : 0;
  }
  CHECK(due == 2);
  stream.interval = 0.3;
  stream.end = 3.0;
  const Schedule odd(stream);
  CHECK(odd.steps() == 11);
  for (int step = 0; step < 11; ++step) CHECK(odd.step_at(0.3 * step) == step);
  CHECK_FALSE(odd.step_at(0.301));
}

TEST_CASE("every_step_lies_in_exactly_one_file_of_its_partition") {
  StreamSettings stream;
  stream.interval = 600.0;
  stream.end = 86400.0;
  stream.file_interval = 21600.0;
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

TEST_CASE("a_continued_run_keeps_steps_and_files_and_is_due_after_its_checkpoint") {
  StreamSettings hourly;
  hourly.interval = 3600.0;
  hourly.end = 6 * 3600.0;
  hourly.file_interval = 3 * 3600.0;
  Schedule left(hourly);
  left.begin_after(2 * 3600.0);
  CHECK(left.files().size() == 3);
  CHECK_FALSE(left.step_at(2 * 3600.0));
  CHECK(left.step_at(3 * 3600.0) == 3);
  CHECK(left.file_of(3) == 1);
}

TEST_CASE("dates run over the end of a leap month") {
  CHECK(short_date_after("2000-02-28T23:00:00Z", 7200.0) == "20000229T010000Z");
  CHECK(short_date_after("2000-12-31T23:59:59Z", 1.25) == "20010101T000000.250Z");
  CHECK_THROWS_AS(short_date_after("2001-02-29T00:00:00Z", {}), Error);
}
