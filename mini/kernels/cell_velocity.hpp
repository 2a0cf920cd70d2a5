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

/// U_c = sum_e a_e u_e: Whitney's edge interpolation evaluated at the triangle's centre. Exact for
/// uniform flow and for rotation, so (unlike the TRiSK tangential velocity) consistent beside the
/// 12 pentagons. E.g. Bossavit 1988 for the edge elements.
///
/// velocity [edges][levels] m s-1; weight [cells][3] a_e, dimensionless; out [cells][levels] m s-1
inline void cell_velocity(Extent cells, std::span<const std::array<int, 3>> cell_edges,
                          std::span<const std::array<double, 3>> weight,
                          std::span<const double> velocity, std::span<double> out) {
  const std::size_t levels = cells.levels;
  for (std::size_t c = 0; c < cells.points; ++c) {
    const std::array<double, 3> a = weight[c];
    const double* u0 = &velocity[cell_edges[c][0] * levels];
    const double* u1 = &velocity[cell_edges[c][1] * levels];
    const double* u2 = &velocity[cell_edges[c][2] * levels];
    double* result = &out[c * levels];
#pragma GCC ivdep
    for (std::size_t l = 0; l < levels; ++l) result[l] = a[0] * u0[l] + a[1] * u1[l] + a[2] * u2[l];
  }
}

}  // namespace thalweg::mini
