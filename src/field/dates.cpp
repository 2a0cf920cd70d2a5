// SPDX-License-Identifier: Apache-2.0
// Date arithmetic with std::chrono.
#include "field/dates.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "thalweg/error.hpp"

namespace thalweg {

std::string short_date_after(const std::string& start_date, ModelTime time) {
  int year = 0;
  unsigned month = 0, day = 0;
  int hour = 0, minute = 0, second = 0;
  const int read = std::sscanf(start_date.c_str(), "%d-%u-%uT%d:%d:%d", &year, &month, &day, &hour,
                               &minute, &second);
  namespace chrono = std::chrono;
  const chrono::year_month_day date{chrono::year(year), chrono::month(month), chrono::day(day)};
  if (read < 3 || !date.ok()) {
    throw Error(Blame::user,
                fmt::format("'{}' is not a date like 2000-01-01T00:00:00Z", start_date));
  }
  const chrono::sys_seconds start = chrono::sys_days(date) + chrono::hours(hour) +
                                    chrono::minutes(minute) + chrono::seconds(second);
  const auto then = start + chrono::milliseconds(time.ms());
  const auto midnight = chrono::floor<chrono::days>(then);
  const chrono::year_month_day ymd(midnight);
  const chrono::hh_mm_ss clock(then - midnight);
  if (ymd.year() > chrono::year(9999) || ymd.year() < chrono::year(0)) {
    throw Error(Blame::user,
                fmt::format("{} s after '{}' lies beyond the year 9999, which names of files and "
                            "checkpoints have no room for",
                            time.seconds(), start_date));
  }
  const auto ms = clock.subseconds().count();
  return fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}{}Z", static_cast<int>(ymd.year()),
                     static_cast<unsigned>(ymd.month()), static_cast<unsigned>(ymd.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     ms == 0 ? std::string() : fmt::format(".{:03}", ms));
}

}  // namespace thalweg
