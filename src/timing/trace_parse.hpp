// SPDX-License-Identifier: Apache-2.0
// What the parts of tracing share.
#pragma once

#include <string>

#include "thalweg/trace.hpp"

namespace thalweg {

/// "field:cell:level:step" -> target. Throws Error(user).
TraceTarget parse_trace_target(std::string_view text);

/// The line that trace_stop prints.
std::string trace_line(std::string_view stop, int rank, std::int64_t local, double value,
                       const std::string& detail, const std::source_location& where);

/// A line on standard output, in one piece.
void print_trace(std::string line);
/// In MPI_COMM_WORLD; 0 without MPI.
int trace_rank();

}  // namespace thalweg
