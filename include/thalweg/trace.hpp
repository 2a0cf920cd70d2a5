// SPDX-License-Identifier: Apache-2.0
// Follows one value from the kernel to the file: each stop on its way prints one line when it is
// watched.
#pragma once

#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>

namespace thalweg {

/// The value to follow, from THALWEG_TRACE=field:cell:level:step in the environment of every rank.
/// `point` = global index (0-based) on the field's place, `level` 1-based, `step` = output number
/// of the stream (0-based).
struct TraceTarget {
  bool active = false;
  std::string field;
  std::int64_t point = -1;
  int level = 1;
  int step = -1;
};
const TraceTarget& trace_target();  ///< read once; a malformed value throws Error(user)

/// Is this field the watched one? Cheap: one flag when no trace is active. step = -1 matches any
/// step.
bool trace_watches(std::string_view field, int step = -1);

/// Prints {"trace": {stop, file, line, rank, local, value, detail}} on standard output; `file` is
/// the caller's source file relative to the project; `local` = local index at that stop, -1 if it
/// has none.
void trace_stop(std::string_view stop, std::int64_t local, double value, const std::string& detail,
                std::source_location where = std::source_location::current());

}  // namespace thalweg
