// SPDX-License-Identifier: Apache-2.0
// Velocity along the face between two hexagons, from the normal velocities around.
#pragma once

#include <array>
#include <cstddef>
#include <source_location>
#include <span>

#include "stencils.hpp"

namespace thalweg::mini {

inline constexpr auto tangential_velocity_source = std::source_location::current();

/// v_e = 1/d_e sum_e' w_ee' l_e' u_e'                 (Thuburn et al. 2009)
/// Along n_e (from c0 to c1), that is 90 degrees clockwise of t_e.
///
/// velocity [edges][levels] m s-1; weight [edges][10] w_ee' l_e' / d_e; out [edges][levels] m s-1
inline void tangential_velocity(Extent edges, std::span<const std::array<int, ring_size>> edge_ring,
                                std::span<const std::array<double, ring_size>> weight,
                                std::span<const double> velocity, std::span<double> out) {
  const std::size_t levels = edges.levels;
  for (std::size_t e = 0; e < edges.points; ++e) {
    const std::array<double, ring_size> w = weight[e];
    std::array<const double*, ring_size> u;
    for (int j = 0; j < ring_size; ++j) u[j] = &velocity[edge_ring[e][j] * levels];
    double* result = &out[e * levels];
#pragma GCC ivdep
    for (std::size_t l = 0; l < levels; ++l)
      result[l] = w[0] * u[0][l] + w[1] * u[1][l] + w[2] * u[2][l] + w[3] * u[3][l] +
                  w[4] * u[4][l] + w[5] * u[5][l] + w[6] * u[6][l] + w[7] * u[7][l] +
                  w[8] * u[8][l] + w[9] * u[9][l];
  }
}

}  // namespace thalweg::mini
