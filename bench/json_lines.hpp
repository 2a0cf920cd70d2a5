// SPDX-License-Identifier: Apache-2.0
// What a benchmark prints: one JSON object a line on standard output, from rank 0.
#pragma once

#include <nlohmann/json.hpp>

namespace thalweg::bench {

/// Prints on rank 0 of MPI_COMM_WORLD and flushes; nothing elsewhere.
void print_line(const nlohmann::json& object);

/// A figure with three or four digits: what the clock can tell.
double rounded(double value);

}  // namespace thalweg::bench
