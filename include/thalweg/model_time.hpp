// SPDX-License-Identifier: Apache-2.0
// Times of the simulation and lengths of them: whole milliseconds, compared exactly.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>

namespace thalweg {

/// Since the start of the run, or between two times. Models count in seconds as doubles, whose sums
/// drift: a double means the millisecond that it lies within 10 us of, after three hours within
/// 1e-9 of the time, at most within 0.25 ms (or its own precision, after 18,000 years). Between
/// milliseconds there are no times.
class ModelTime {
 public:
  constexpr ModelTime() = default;
  /// Throws Error(user) unless `seconds` means a whole millisecond.
  ModelTime(double seconds);  // NOLINT: the interface speaks of seconds
  static constexpr ModelTime of_ms(std::int64_t ms) {
    ModelTime time;
    time.ms_ = ms;
    return time;
  }
  /// Nothing between two milliseconds. Throws Error(user) on what is no number.
  static std::optional<ModelTime> at(double seconds);

  constexpr std::int64_t ms() const { return ms_; }
  constexpr double seconds() const { return static_cast<double>(ms_) / 1000.0; }

  constexpr auto operator<=>(const ModelTime&) const = default;
  constexpr ModelTime operator+(ModelTime other) const { return of_ms(ms_ + other.ms_); }
  constexpr ModelTime operator-(ModelTime other) const { return of_ms(ms_ - other.ms_); }

 private:
  std::int64_t ms_ = 0;
};

}  // namespace thalweg
