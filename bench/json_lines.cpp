// SPDX-License-Identifier: Apache-2.0
// Printing JSON lines.
#include "json_lines.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <cstdio>
#include <string>

namespace thalweg::bench {

void print_line(const nlohmann::json& object) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) return;
  fmt::print("{}\n", object.dump());
  std::fflush(stdout);
}

double rounded(double value) { return std::stod(fmt::format("{:.4g}", value)); }

}  // namespace thalweg::bench
