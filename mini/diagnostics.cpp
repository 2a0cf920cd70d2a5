// SPDX-License-Identifier: Apache-2.0
// Integrals over the owned hexagons and their sums over all ranks.
#include "diagnostics.hpp"

#include <algorithm>
#include <cmath>

#include "constants.hpp"
#include "model_kernels.hpp"
#include "reproducible_sum.hpp"
#include "thalweg/timers.hpp"
#include "thalweg/wait.hpp"

namespace thalweg::mini {

Diagnostics diagnose(MPI_Comm comm, const Mesh& mesh, const Stencils& stencils,
                     std::span<const double> ground_m, const State& state) {
  const ScopedTimer timer(Timer::diagnostics);
  const int levels = state.levels;
  const Extent owned{mesh.vertex.owned, levels};
  std::vector<double> kinetic(owned.values());
  kinetic_energy({.edges = mesh.edge.total(),
                  .vertices = mesh.vertex.owned,
                  .levels = levels,
                  .vertex_edges = rows(stencils.vertex_edges),
                  .velocity = state[Layers::velocity].data(),
                  .kinetic_weight = rows(stencils.kinetic_weight),
                  .energy = kinetic.data()});

  // One array for all sums, [points][3 levels]: mass, tracer mass, energy.
  const int columns = 3 * levels;
  std::vector<double> share(owned.points * columns);
  for (std::size_t v = 0; v < owned.points; ++v) {
    const double area_m2 = mesh.vertex_area_m2[v];
    double* row = &share[v * columns];
    for (int l = 0; l < levels; ++l) {
      const std::size_t i = v * levels + l;
      const double h = state[Layers::thickness][i];
      row[l] = area_m2 * h;
      row[levels + l] = area_m2 * state[Layers::tracer][i];
      row[2 * levels + l] = area_m2 * h * (kinetic[i] + gravity_m_s2 * (0.5 * h + ground_m[v]));
    }
  }
  const std::vector<double> sums = reproducible_sums(comm, share, columns);
  Diagnostics result;
  result.mass.assign(sums.begin(), sums.begin() + levels);
  result.tracer.assign(sums.begin() + levels, sums.begin() + 2 * levels);
  for (int l = 0; l < levels; ++l) result.energy += sums[2 * levels + l];
  return result;
}

double mass_drift(const Diagnostics& first, const Diagnostics& now) {
  double largest = 0.0;
  for (std::size_t l = 0; l < first.mass.size(); ++l) {
    largest = std::max(largest, std::abs(now.mass[l] / first.mass[l] - 1.0));
  }
  return largest;
}

double energy_drift(const Diagnostics& first, const Diagnostics& now) {
  return now.energy / first.energy - 1.0;
}

double largest_over_ranks(MPI_Comm comm, double value) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, comm, &request);
  wait_all(std::span<MPI_Request>(&request, 1), "a global maximum");
  return value;
}

}  // namespace thalweg::mini
