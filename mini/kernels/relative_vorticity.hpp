// SPDX-License-Identifier: Apache-2.0
// Vertical component of the curl of velocity in a triangle.
#pragma once

#include <array>
#include <cstddef>
#include <source_location>
#include <span>

#include "stencils.hpp"

namespace thalweg::mini {

inline constexpr auto relative_vorticity_source = std::source_location::current();

/// zeta_c = 1/A_c sum_e (+-1) d_e u_e                 (Stokes; Ringler et al. 2010)
///
/// velocity [edges][levels] m s-1; weight [cells][3] +-d_e / A_c, m-1; out [cells][levels] s-1
inline void relative_vorticity(Extent cells, std::span<const std::array<int, 3>> cell_edges,
                               std::span<const std::array<double, 3>> weight,
                               std::span<const double> velocity, std::span<double> out) {
  const std::size_t levels = cells.levels;
  for (std::size_t c = 0; c < cells.points; ++c) {
    const std::array<double, 3> w = weight[c];
    const double* u0 = &velocity[cell_edges[c][0] * levels];
    const double* u1 = &velocity[cell_edges[c][1] * levels];
    const double* u2 = &velocity[cell_edges[c][2] * levels];
    double* result = &out[c * levels];
#pragma GCC ivdep
    for (std::size_t l = 0; l < levels; ++l) result[l] = w[0] * u0[l] + w[1] * u1[l] + w[2] * u2[l];
  }
}

}  // namespace thalweg::mini
