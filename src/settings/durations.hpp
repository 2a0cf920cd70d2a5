// SPDX-License-Identifier: Apache-2.0
// Reads ISO 8601 durations and dates without throwing, for settings that word their own sentence.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace thalweg {

/// "P1DT6H", "PT1.5H", "P2W", "3600", each with a minus sign in front if need be -> seconds.
/// Years and months have no fixed length and are refused.
std::optional<double> duration_s(std::string_view text);

/// "2000-01-01", "2000-01-01T06:00" or "2000-01-01T06:00:00Z" -> the last form. UTC only.
std::optional<std::string> normal_date(std::string_view text);

}  // namespace thalweg
