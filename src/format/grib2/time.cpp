// SPDX-License-Identifier: Apache-2.0
#include "format/grib2/time.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>

#include "thalweg/error.hpp"

namespace thalweg {

Grib2Date parse_start_date(const std::string& date) {
  Grib2Date parts{0, 0, 0, 0, 0, 0};
  const int read = std::sscanf(date.c_str(), "%d-%d-%dT%d:%d:%d", &parts.year, &parts.month,
                               &parts.day, &parts.hour, &parts.minute, &parts.second);
  namespace chrono = std::chrono;
  const chrono::year_month_day day{chrono::year(parts.year),
                                   chrono::month(static_cast<unsigned>(parts.month)),
                                   chrono::day(static_cast<unsigned>(parts.day))};
  if (read < 3 || !day.ok() || parts.year < 0) {
    throw Error(Blame::user, fmt::format("'{}' is not a date like 2000-01-01T00:00:00Z", date));
  }
  return parts;
}

Grib2Time forecast_time(double time_s) {
  const std::int64_t seconds = std::llround(time_s);
  if (seconds % 3600 == 0) return {1, seconds / 3600};
  if (seconds % 60 == 0) return {0, seconds / 60};
  return {13, seconds};
}

}  // namespace thalweg
