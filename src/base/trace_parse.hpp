// SPDX-License-Identifier: Apache-2.0
// The parts of tracing that need neither the environment nor the terminal.
#pragma once

#include <string>

#include "thalweg/trace.hpp"

namespace thalweg {

/// "field:cell:level:step" -> target. Throws Error(user).
TraceTarget parse_trace_target(std::string_view text);

/// The line that trace_stop prints, newline included.
std::string trace_line(std::string_view stop, int rank, std::int64_t local, double value,
                       const std::string& detail, const std::source_location& where);

}  // namespace thalweg
