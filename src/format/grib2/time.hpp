// SPDX-License-Identifier: Apache-2.0
// Times as GRIB2 writes them: a date, and whole units since then.
#pragma once

#include <cstdint>
#include <string>

namespace thalweg {

struct Grib2Date {
  int year, month, day, hour, minute, second;
};
/// ISO 8601 in UTC, "2000-01-01T00:00:00Z". Throws Error(user) on anything else.
Grib2Date parse_start_date(const std::string& date);

struct Grib2Time {
  int unit = 1;  ///< code table 4.4: 1 = hours, 0 = minutes, 13 = seconds
  std::int64_t value = 0;
};
/// In hours, minutes or seconds, whichever is the largest that fits; rounded to seconds.
Grib2Time forecast_time(double time_s);

}  // namespace thalweg
