// SPDX-License-Identifier: Apache-2.0
// Facts about timers and events, on this rank and in the files that rank 0 writes.
#include "thalweg/timers.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "all_ranks.hpp"
#include "thalweg/error.hpp"
#include "timing/timing_records.hpp"

using namespace thalweg;
using Json = nlohmann::json;

namespace {

/// Leaves the records of other tests and of the program as they were.
struct RecordsAside {
  TimingRecords kept = std::exchange(timing_records(), {});
  ~RecordsAside() { timing_records() = kept; }
};

}  // namespace

TEST_CASE("timer_list_names_are_unique_and_parents_exist") {
  std::vector<std::string> names{""};
  for (const TimerInfo& info : timer_list) {
    CHECK(std::count(names.begin(), names.end(), info.parent) ==
          1);  // a parent stands above its children
    CHECK(std::count(names.begin(), names.end(), info.name) == 0);
    CHECK(std::string(info.meaning) != "");
    names.emplace_back(info.name);
  }
}

TEST_CASE("a_timer_keeps_calls_total_minimum_and_maximum") {
  RecordsAside aside;
  for (const double call_s : {2.0, 1.0, 4.0}) add_time(Timer::plan, 10.0, 10.0 + call_s);
  const TimerRecord& record = timing_records().timers[Timer::plan];
  CHECK(record.calls == 3);
  CHECK(record.min_s == 1.0);
  CHECK(record.max_s == 4.0);
  CHECK(timer_total_s(Timer::plan) == 7.0);
  CHECK(timer_total_s(Timer::output) == 0.0);
}

TEST_CASE("own_times_are_all_of_the_time_once") {
  RecordsAside aside;
  const auto own_s = [](Timer timer) { return timing_records().timers[timer].own_s; };
  constexpr int outputs = 10000;  // more than the list of taken time keeps apart
  for (int output = 0; output < outputs; ++output) {
    const double begin_s = 10.0 + output;
    add_time(Timer::io_get, begin_s, begin_s + 0.125);
    add_time(Timer::io_write, begin_s + 0.125, begin_s + 0.375);
    add_time(Timer::output_wait, begin_s, begin_s + 0.5);
    add_time(Timer::output, begin_s, begin_s + 0.75);
  }
  add_time(Timer::total, 0.0, 10.0 + outputs);
  CHECK(own_s(Timer::io_get) == 0.125 * outputs);
  CHECK(own_s(Timer::io_write) == 0.25 * outputs);
  CHECK(own_s(Timer::output_wait) == 0.125 * outputs);
  CHECK(own_s(Timer::output) == 0.25 * outputs);
  CHECK(own_s(Timer::total) == 10.0 + 0.25 * outputs);
  CHECK(timer_total_s(Timer::total) == 10.0 + outputs);
}

TEST_CASE("timers_may_be_the_first_of_all_and_lie_within_others") {
  RecordsAside aside;
  for (int depth = 0; depth < 3; ++depth) {
    const ScopedTimer one(Timer::total);
    const ScopedTimer two(Timer::integrate);
    const ScopedTimer three(Timer::dynamics);
    add_time(Timer::output, now_s(), now_s());
  }
  CHECK(timing_records().timers[Timer::total].calls == 3);
}

TEST_CASE("a_timer_that_began_after_others_has_the_time_of_all_within_it") {
  RecordsAside aside;
  const auto own_s = [](Timer timer) { return timing_records().timers[timer].own_s; };
  const double before_s = now_s();
  { const ScopedTimer first(Timer::model_init); }
  double within_s = 0.0;
  {
    const ScopedTimer outer(Timer::integrate);
    for (int day = 0; day < 3; ++day) {
      const ScopedTimer middle(Timer::output_close);
      for (int call = 0; call < 5000; ++call) {  // more than the list keeps apart
        const ScopedTimer inner(Timer::dynamics);
      }
    }
    within_s = timer_total_s(Timer::output_close);
  }
  const double after_s = now_s();
  const double all_s = own_s(Timer::integrate) + own_s(Timer::output_close) +
                       own_s(Timer::dynamics) + own_s(Timer::model_init);
  CHECK(all_s <= after_s - before_s + 1e-9);
  CHECK(own_s(Timer::integrate) ==
        doctest::Approx(timer_total_s(Timer::integrate) - within_s).epsilon(1e-9));
  CHECK(own_s(Timer::output_close) ==
        doctest::Approx(within_s - timer_total_s(Timer::dynamics)).epsilon(1e-9));
}

TEST_CASE("a_scoped_timer_measures_its_scope") {
  RecordsAside aside;
  const double begin_s = now_s();
  {
    ScopedTimer timer(Timer::dynamics);
    while (now_s() < begin_s + 0.002) {
    }
  }
  CHECK(timer_total_s(Timer::dynamics) >= 0.0015);
  CHECK(timer_total_s(Timer::dynamics) <= now_s() - begin_s);
}

TEST_CASE("start_clock_gives_ranks_of_a_node_the_same_zero") {
  start_clock(MPI_COMM_WORLD);
  // With different zeros a rank would see another one's past as its own future.
  const double before_s = now_s();
  double latest_before_s = 0.0;
  MPI_Allreduce(&before_s, &latest_before_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  CHECK(now_s() >= latest_before_s);
  CHECK(before_s >= 0.0);
}

TEST_CASE("write_timing_brings_every_rank_to_the_files") {
  RecordsAside aside;
  SharedDirectory directory;
  const bool io = world_size() > 1 && world_rank() == world_size() - 1;
  add_time(Timer::io_write, 0.0, 1.0 + world_rank());
  if (world_rank() == 0) add_time(Timer::plan, 0.0, 0.5);
  collect_events(directory.path);
  record_event(EventKind::write, 3.0, 4.0, 3'000'000'000, "a \"stream\"", "ta", 4);
  record_event(EventKind::wait, 1.0, 2.0);
  write_timing(MPI_COMM_WORLD, io ? "io" : "compute", directory.path);

  if (world_rank() == 0) {
    const Json timing = Json::parse(std::ifstream(directory.path + "/timing.json"));
    CHECK(timing["ranks"] == world_size());
    CHECK(timing["roles"].back() == (world_size() > 1 ? "io" : "compute"));
    REQUIRE(timing["timers"].size() == 2);  // timers nobody used are left out
    const Json& write = timing["timers"][0];
    CHECK(write["name"] == "io_write");
    CHECK(write["parent"] == "io_total");
    CHECK(write["category"] == "write");
    CHECK(write["own_s"] == write["total_s"]);
    CHECK(timing["timers"][1]["calls"][0] == 1);
    for (int rank = 0; rank < world_size(); ++rank) CHECK(write["total_s"][rank] == 1.0 + rank);

    std::ifstream events(directory.path + "/events.jsonl");
    std::string line;
    for (int rank = 0; rank < world_size(); ++rank) {
      REQUIRE(std::getline(events, line));
      CHECK(Json::parse(line) == Json{{"rank", rank},
                                      {"kind", "wait"},
                                      {"begin_s", 1.0},
                                      {"end_s", 2.0},
                                      {"bytes", 0},
                                      {"stream", ""},
                                      {"field", ""},
                                      {"step", -1}});
      REQUIRE(std::getline(events, line));
      CHECK(Json::parse(line)["bytes"] == 3'000'000'000);
      CHECK(Json::parse(line)["stream"] == "a \"stream\"");
    }
    CHECK_FALSE(std::getline(events, line));
    CHECK_FALSE(std::filesystem::exists(directory.path + "/events.jsonl.part"));
  }
}

TEST_CASE("write_timing_into_a_missing_directory_throws_on_every_rank") {
  RecordsAside aside;
  SharedDirectory directory;
  collect_events(directory.path);
  record_event(EventKind::wait, 1.0, 2.0);
  try {
    write_timing(MPI_COMM_WORLD, "compute", "/nonexistent_thalweg");
    FAIL("a missing directory must be refused");
  } catch (const Error& error) {
    CHECK(error.blame() == Blame::file_system);
    CHECK(std::string(error.what())
              .find("'/nonexistent_thalweg/events.jsonl' cannot be written (No such file") == 0);
  }
}

TEST_CASE("without_collect_events_nothing_is_kept_and_no_file_of_events_is_written") {
  RecordsAside aside;
  SharedDirectory directory;
  record_event(EventKind::wait, 1.0, 2.0);
  write_timing(MPI_COMM_WORLD, "compute", directory.path);
  if (world_rank() != 0) return;
  CHECK(std::filesystem::exists(directory.path + "/timing.json"));
  CHECK_FALSE(std::filesystem::exists(directory.path + "/events.jsonl"));
}

TEST_CASE("more_events_than_a_block_come_sorted_by_their_begin") {
  RecordsAside aside;
  SharedDirectory directory;
  collect_events(directory.path);
  constexpr int events = 5000;
  for (int event = 0; event < events; ++event) {
    record_event(EventKind::copy, event % 7, 10.0, event, "s", "f", event);
  }
  write_timing(MPI_COMM_WORLD, "compute", directory.path);
  if (world_rank() != 0) return;
  std::ifstream file(directory.path + "/events.jsonl");
  std::string line;
  for (int rank = 0; rank < world_size(); ++rank) {
    std::pair last{-1.0, -1};
    for (int event = 0; event < events; ++event) {
      REQUIRE(std::getline(file, line));
      const Json json = Json::parse(line);
      const std::pair now{json["begin_s"].get<double>(), json["step"].get<int>()};
      REQUIRE(json["rank"] == rank);
      REQUIRE(last < now);
      last = now;
    }
  }
  CHECK_FALSE(std::getline(file, line));
}
