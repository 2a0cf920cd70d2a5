// SPDX-License-Identifier: Apache-2.0
// Potential vorticity of a triangle.
#pragma once

#include <array>
#include <cstddef>
#include <source_location>
#include <span>

#include "stencils.hpp"

namespace thalweg::mini {

inline constexpr auto potential_vorticity_source = std::source_location::current();

/// q_c = (f_c + zeta_c) / h_c,  h_c = 1/A_c sum_v A_kite h_v     (Ringler et al. 2010)
///
/// vorticity [cells][levels] zeta, s-1; thickness [vertices][levels] m; coriolis [cells] s-1
/// weight    [cells][3] kite area / A_c; out [cells][levels] m-1 s-1
inline void potential_vorticity(Extent cells, std::span<const std::array<int, 3>> cell_vertices,
                                std::span<const std::array<double, 3>> weight,
                                std::span<const double> coriolis, std::span<const double> vorticity,
                                std::span<const double> thickness, std::span<double> out) {
  const std::size_t levels = cells.levels;
  for (std::size_t c = 0; c < cells.points; ++c) {
    const std::array<double, 3> w = weight[c];
    const double f = coriolis[c];
    const double* h0 = &thickness[cell_vertices[c][0] * levels];
    const double* h1 = &thickness[cell_vertices[c][1] * levels];
    const double* h2 = &thickness[cell_vertices[c][2] * levels];
    const double* zeta = &vorticity[c * levels];
    double* result = &out[c * levels];
#pragma GCC ivdep
    for (std::size_t l = 0; l < levels; ++l)
      result[l] = (f + zeta[l]) / (w[0] * h0[l] + w[1] * h1[l] + w[2] * h2[l]);
  }
}

}  // namespace thalweg::mini
