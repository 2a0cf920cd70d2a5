// SPDX-License-Identifier: Apache-2.0
// Kinetic energy per mass in a hexagon.
#pragma once

#include <array>
#include <cstddef>
#include <source_location>
#include <span>

#include "stencils.hpp"

namespace thalweg::mini {

inline constexpr auto kinetic_energy_source = std::source_location::current();

/// K_v = 1/A_v sum_e (l_e d_e / 4) u_e^2             (Ringler et al. 2010)
///
/// velocity [edges][levels] m s-1; weight [vertices][6] l_e d_e / (4 A_v); out [vertices][levels]
/// m2 s-2
inline void kinetic_energy(Extent vertices, std::span<const std::array<int, 6>> vertex_edges,
                           std::span<const std::array<double, 6>> weight,
                           std::span<const double> velocity, std::span<double> out) {
  const std::size_t levels = vertices.levels;
  for (std::size_t v = 0; v < vertices.points; ++v) {
    const std::array<double, 6> w = weight[v];
    std::array<const double*, 6> u;
    for (int j = 0; j < 6; ++j) u[j] = &velocity[vertex_edges[v][j] * levels];
    double* result = &out[v * levels];
#pragma GCC ivdep
    for (std::size_t l = 0; l < levels; ++l)
      result[l] = w[0] * u[0][l] * u[0][l] + w[1] * u[1][l] * u[1][l] + w[2] * u[2][l] * u[2][l] +
                  w[3] * u[3][l] * u[3][l] + w[4] * u[4][l] * u[4][l] + w[5] * u[5][l] * u[5][l];
  }
}

}  // namespace thalweg::mini
