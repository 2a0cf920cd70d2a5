// SPDX-License-Identifier: Apache-2.0
// Dates of the proleptic Gregorian calendar in the short form of file names.
#pragma once

#include <string>

#include "thalweg/model_time.hpp"

namespace thalweg {

/// "2000-01-01T00:00:00Z" plus 3600 s -> "20000101T010000Z", plus 0.25 s ->
/// "20000101T000000.250Z". Throws Error(user) on a malformed
/// date.
std::string short_date_after(const std::string& start_date, ModelTime time);

}  // namespace thalweg
