// SPDX-License-Identifier: Apache-2.0
// From seconds as a model counts them to whole milliseconds.
#include "thalweg/model_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "thalweg/error.hpp"

namespace thalweg {

namespace {
constexpr double most_ms = 9.0e15;  // 285,000 years; all whole numbers below are exact doubles
// How far a sum of time steps may have drifted from the time it means: 10^7 steps of 0.1 s by
// 1.6e-10 of it. Never so far that two milliseconds could be meant.
constexpr double drift = 1e-9;
constexpr double least_ms = 0.01;
constexpr double largest_ms = 0.25;
}  // namespace

std::optional<ModelTime> ModelTime::at(double seconds) {
  const double ms = seconds * 1000.0;
  if (!(std::abs(ms) <= most_ms)) {
    throw Error(Blame::user, fmt::format("{} s is no time of a simulation", seconds));
  }
  const double whole = std::nearbyint(ms);
  const double own = 2.0 * std::numeric_limits<double>::epsilon() * std::abs(ms);
  const double near = std::clamp(drift * std::abs(ms), least_ms, largest_ms);
  if (std::abs(ms - whole) > std::max(near, own)) return std::nullopt;
  return of_ms(static_cast<std::int64_t>(whole));
}

ModelTime::ModelTime(double seconds) {
  const auto time = at(seconds);
  if (!time) {
    throw Error(Blame::user,
                fmt::format("{} s is not a whole number of milliseconds, the resolution of times",
                            seconds));
  }
  *this = *time;
}

}  // namespace thalweg
