// SPDX-License-Identifier: Apache-2.0
// Eastward or northward velocity at the centre of a triangle.
#pragma once

#include <array>
#include <cstddef>
#include <source_location>
#include <span>

#include "stencils.hpp"

namespace thalweg::mini {

inline constexpr auto cell_velocity_source = std::source_location::current();

/// U_c = 1/3 sum_e (u_e t_e . a + v_e n_e . a), a = unit vector east or north at the centre.
/// The mean of the full velocity vectors of the triangle's three edges.
///
/// velocity u, tangential v [edges][levels] m s-1; projection [cells][6]: t_e . a / 3 of the three
/// edges, then n_e . a / 3; out [cells][levels] m s-1
inline void cell_velocity(Extent cells, std::span<const std::array<int, 3>> cell_edges,
                          std::span<const std::array<double, 6>> projection,
                          std::span<const double> velocity, std::span<const double> tangential,
                          std::span<double> out) {
  const std::size_t levels = cells.levels;
  for (std::size_t c = 0; c < static_cast<std::size_t>(cells.points); ++c) {
    const std::array<double, 6> p = projection[c];
    const std::size_t e0 = cell_edges[c][0] * levels, e1 = cell_edges[c][1] * levels,
                      e2 = cell_edges[c][2] * levels;
    double* result = &out[c * levels];
#pragma GCC ivdep
    for (std::size_t l = 0; l < levels; ++l)
      result[l] = p[0] * velocity[e0 + l] + p[1] * velocity[e1 + l] + p[2] * velocity[e2 + l] +
                  p[3] * tangential[e0 + l] + p[4] * tangential[e1 + l] + p[5] * tangential[e2 + l];
  }
}

}  // namespace thalweg::mini
