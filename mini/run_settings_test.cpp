// SPDX-License-Identifier: Apache-2.0
// Facts about the time step: it divides every output interval, and output times are exact.
#include "run_settings.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "thalweg/error.hpp"

using namespace thalweg;
using namespace thalweg::mini;

namespace {

Experiment experiment(const std::string& text) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("thalweg_run_settings_" + std::to_string(getpid()) + ".toml");
  std::ofstream(path) << text;
  Experiment result = Experiment::read(path.string());
  std::filesystem::remove(path);
  return result;
}

}  // namespace

TEST_CASE("time_step_divides_all_output_intervals_and_is_the_largest_allowed") {
  const Experiment two = experiment(
      "[time]\nduration = \"P1D\"\n[[output]]\nname = \"a\"\ninterval = \"PT1H\"\n"
      "[[output]]\nname = \"b\"\ninterval = \"PT90M\"\n");
  const TimeSteps steps = choose_time_steps(two, 700.0);
  CHECK(steps.unit_ms == 1800000);
  CHECK(steps.step_s() == 600.0);
  CHECK(steps.count == 144);
  CHECK(steps.time_s(9) == 5400.0);
  CHECK(choose_time_steps(two, 599.0).step_s() == 450.0);
  CHECK(choose_time_steps(two, 1e6).step_s() == 1800.0);
}

TEST_CASE("output_times_are_exact_for_a_step_that_is_no_binary_fraction") {
  const TimeSteps steps =
      choose_time_steps(experiment("[[output]]\ninterval = \"PT1H\"\n"), 500.0 / 1.03);
  REQUIRE(steps.steps_per_unit == 8);
  for (const std::int64_t per_unit : {7, 11, 13}) {
    const TimeSteps odd{3600000, per_unit, 24 * per_unit};
    for (int hour = 0; hour <= 24; ++hour) CHECK(odd.time_s(hour * per_unit) == 3600.0 * hour);
  }
}

TEST_CASE("a_given_time_step_must_divide_the_output_intervals") {
  const std::string output = "[[output]]\ninterval = \"PT1H\"\n";
  CHECK(choose_time_steps(experiment("[model]\ntime_step = \"PT6M\"\n" + output), 1e9).step_s() ==
        360.0);
  CHECK_THROWS_WITH_AS(
      choose_time_steps(experiment("[model]\ntime_step = \"PT7M\"\n" + output), 1e9),
      doctest::Contains("420 s does not divide 3600 s"), Error);
}

TEST_CASE("a_stream_without_an_end_lasts_to_the_end_of_the_run") {
  const auto streams =
      stream_settings(experiment("[time]\nduration = \"P2D\"\n[[output]]\nname = \"a\"\n"
                                 "[[output]]\nname = \"b\"\nend = \"PT6H\"\n"));
  REQUIRE(streams.size() == 2);
  CHECK(streams[0].end == 172800.0);
  CHECK(streams[1].end == 21600.0);
}
