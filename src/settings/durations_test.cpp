// SPDX-License-Identifier: Apache-2.0
// Facts about durations and dates: which texts are one, and what they mean.
#include "settings/durations.hpp"

#include <doctest/doctest.h>

#include "thalweg/error.hpp"
#include "thalweg/settings.hpp"

using namespace thalweg;

TEST_CASE("durations_are_iso_8601_or_seconds") {
  CHECK(parse_duration_s("PT1H") == 3600.0);
  CHECK(parse_duration_s("P1DT6H") == 108000.0);
  CHECK(parse_duration_s("PT90S") == 90.0);
  CHECK(parse_duration_s("PT1H30M") == 5400.0);
  CHECK(parse_duration_s("PT0.5S") == 0.5);
  CHECK(parse_duration_s("P2W") == 1209600.0);
  CHECK(parse_duration_s("P10D") == 864000.0);
  CHECK(parse_duration_s("3600") == 3600.0);
  CHECK(parse_duration_s("0") == 0.0);
  CHECK(duration_s("-PT1H") == -3600.0);
  CHECK(duration_s("-5") == -5.0);
}

TEST_CASE("what_is_no_duration_is_refused_in_one_sentence") {
  for (const char* text :
       {"",       "P",     "PT",    "P1DT", "PT1",  "PT1X", "P1H", "PT1S1H", "P1M", "P1Y",
        "1 hour", "PT1H ", "PTT1H", "--5",  "P-1D", "inf",  "nan", "PT1H1H", "-",   "T1H"}) {
    CAPTURE(text);
    CHECK_FALSE(duration_s(text).has_value());
    CHECK_THROWS_AS(parse_duration_s(text), Error);
  }
  CHECK_THROWS_WITH(
      parse_duration_s("1 hour"),
      "'1 hour' is not a duration; write for example PT1H, P1DT6H, PT90S or a number of "
      "seconds");
  CHECK_THROWS_WITH(parse_duration_s("-PT1H"),
                    "duration '-PT1H' is negative; give one of 0 s or more");
}

TEST_CASE("dates_are_brought_to_one_form") {
  CHECK(normal_date("2000-01-01T00:00:00Z") == "2000-01-01T00:00:00Z");
  CHECK(normal_date("2000-02-29") == "2000-02-29T00:00:00Z");
  CHECK(normal_date("1979-12-31T23:59") == "1979-12-31T23:59:00Z");
  CHECK(normal_date("1979-12-31T23:59:58") == "1979-12-31T23:59:58Z");
}

TEST_CASE("what_is_no_date_is_refused") {
  for (const char* text : {"", "2000", "2000-13-01", "1999-02-29", "2000-1-1",
                           "2000-01-01T24:00:00", "2000-01-01T00:60", "2000-01-01 00:00:00",
                           "2000-01-01T00:00:00+01:00", "2000-01-01T", "2000/01/01", "tomorrow"}) {
    CAPTURE(text);
    CHECK_FALSE(normal_date(text).has_value());
  }
}
