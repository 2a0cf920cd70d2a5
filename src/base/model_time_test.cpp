// SPDX-License-Identifier: Apache-2.0
// Times are whole milliseconds.
#include "thalweg/model_time.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <tuple>

#include "thalweg/error.hpp"

using namespace thalweg;

TEST_CASE("a_sum_of_time_steps_means_the_time_that_was_meant") {
  double sum_s = 0.0;
  for (int step = 1; step <= 1'000'000; ++step) {
    sum_s += 0.1;
    REQUIRE(ModelTime(sum_s).ms() == step * 100L);
  }
}

TEST_CASE("a_long_sum_of_time_steps_still_means_its_time") {
  for (const auto& [step_s, step_ms, steps] :
       {std::tuple{0.1, 100L, 10'000'000}, {0.3, 300L, 3'000'000}, {7.2, 7200L, 1'500'000}}) {
    double sum_s = 0.0;
    for (int step = 1; step <= steps; ++step) {
      sum_s += step_s;
      const auto time = ModelTime::at(sum_s);
      if (!time || time->ms() != step * step_ms) FAIL(step_s << " s, step " << step);
    }
  }
}

TEST_CASE("between_two_milliseconds_there_is_no_time") {
  CHECK_FALSE(ModelTime::at(3600.0 / 7.0));
  CHECK_FALSE(ModelTime::at(0.0005));
  CHECK(ModelTime::at(17'280'000.0)->ms() == 17'280'000'000L);
  CHECK(ModelTime::at(17'280'001.0) != ModelTime::at(17'280'000.0));
  CHECK(ModelTime(-1.5).ms() == -1500);
  CHECK_THROWS_AS(ModelTime(1.0 / 3.0), Error);
  for (const double wrong_s : {std::nan(""), HUGE_VAL, 1e300}) {
    CHECK_THROWS_AS(ModelTime::at(wrong_s), Error);
  }
}
