// SPDX-License-Identifier: Apache-2.0
// Printing JSON lines.
#include "json_lines.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <cmath>
#include <cstdio>

namespace thalweg::bench {

void print_line(const nlohmann::json& object) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) return;
  fmt::print("{}\n", object.dump());
  std::fflush(stdout);
}

double rounded(double value) {
  if (value == 0.0 || !std::isfinite(value)) return value;
  const double scale = std::pow(10.0, 3.0 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

}  // namespace thalweg::bench
