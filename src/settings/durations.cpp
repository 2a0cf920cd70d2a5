// SPDX-License-Identifier: Apache-2.0
// ISO 8601 durations and dates, as ICON's namelists write them.
#include "settings/durations.hpp"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>

#include "thalweg/error.hpp"
#include "thalweg/settings.hpp"

namespace thalweg {

namespace {

/// Takes a number without sign or exponent from the front of `text`.
std::optional<double> take_number(std::string_view& text) {
  double number = 0.0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc{} || text.front() == '-' || !std::isfinite(number)) return std::nullopt;
  text.remove_prefix(end - text.data());
  return number;
}

struct Unit {
  char letter;
  double length_s;
};
constexpr std::array<Unit, 2> date_units{{{'W', 604800.0}, {'D', 86400.0}}};
constexpr std::array<Unit, 3> time_units{{{'H', 3600.0}, {'M', 60.0}, {'S', 1.0}}};

/// Takes "1D2..." while its units come in the order of `units`; nothing if there is no number at
/// all.
template <std::size_t count>
std::optional<double> take_units(std::string_view& text, const std::array<Unit, count>& units) {
  double sum_s = 0.0;
  std::size_t next = 0;
  bool any = false;
  while (!text.empty() && text.front() != 'T') {
    const auto number = take_number(text);
    if (!number || text.empty()) return std::nullopt;
    while (next < count && units[next].letter != text.front()) ++next;
    if (next == count) return std::nullopt;
    sum_s += *number * units[next++].length_s;
    text.remove_prefix(1);
    any = true;
  }
  return any ? std::optional(sum_s) : std::nullopt;
}

std::optional<double> iso_duration_s(std::string_view text) {
  text.remove_prefix(1);  // P
  double sum_s = 0.0;
  if (text.empty()) return std::nullopt;
  if (text.front() != 'T') {
    const auto days_s = take_units(text, date_units);
    if (!days_s) return std::nullopt;
    sum_s += *days_s;
  }
  if (text.empty()) return sum_s;
  text.remove_prefix(1);  // T
  const auto hours_s = take_units(text, time_units);
  if (!hours_s || !text.empty()) return std::nullopt;
  return sum_s + *hours_s;
}

/// Reads exactly `digits` digits at `position`.
std::optional<int> digits_at(std::string_view text, std::size_t position, std::size_t digits) {
  if (position + digits > text.size()) return std::nullopt;
  int number = 0;
  for (const char letter : text.substr(position, digits)) {
    if (letter < '0' || letter > '9') return std::nullopt;
    number = 10 * number + (letter - '0');
  }
  return number;
}

}  // namespace

std::optional<double> duration_s(std::string_view text) {
  const bool negative = !text.empty() && text.front() == '-';
  if (negative) text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  std::optional<double> length_s;
  if (text.front() == 'P') {
    length_s = iso_duration_s(text);
  } else {
    length_s = take_number(text);
    if (!text.empty()) return std::nullopt;
  }
  if (length_s && negative) length_s = -*length_s;
  return length_s;
}

double parse_duration_s(std::string_view text) {
  const auto length_s = duration_s(text);
  if (!length_s) {
    throw Error(Blame::user, fmt::format("'{}' is not a duration; write for example PT1H, P1DT6H, "
                                         "PT90S or a number of seconds",
                                         text));
  }
  if (*length_s < 0.0) {
    throw Error(Blame::user,
                fmt::format("duration '{}' is negative; give one of 0 s or more", text));
  }
  return *length_s;
}

std::optional<std::string> normal_date(std::string_view text) {
  if (!text.empty() && text.back() == 'Z') text.remove_suffix(1);
  const auto year = digits_at(text, 0, 4), month = digits_at(text, 5, 2),
             day = digits_at(text, 8, 2);
  if (!year || !month || !day || text[4] != '-' || text[7] != '-') return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{*year},
                                         std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok() || *year < 1) return std::nullopt;
  std::optional<int> hour = 0, minute = 0, second = 0;
  if (text.size() > 10) {
    if (text[10] != 'T' || text.size() < 16 || text[13] != ':') return std::nullopt;
    hour = digits_at(text, 11, 2);
    minute = digits_at(text, 14, 2);
    if (text.size() > 16) second = text[16] == ':' ? digits_at(text, 17, 2) : std::nullopt;
    if (text.size() != 16 && text.size() != 19) return std::nullopt;
  }
  if (!hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 59)
    return std::nullopt;
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", *year, *month, *day, *hour, *minute,
                     *second);
}

}  // namespace thalweg
