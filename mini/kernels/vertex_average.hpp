// SPDX-License-Identifier: Apache-2.0
// Area-weighted mean of a triangle quantity over a hexagon.
#pragma once

#include <array>
#include <cstddef>
#include <source_location>
#include <span>

#include "stencils.hpp"

namespace thalweg::mini {

inline constexpr auto vertex_average_source = std::source_location::current();

/// out_v = 1/A_v sum_c A_kite x_c                     (Ringler et al. 2010)
///
/// values [cells][levels]; weight [vertices][6] kite area / A_v; out [vertices][levels]
inline void vertex_average(Extent vertices, std::span<const std::array<int, 6>> vertex_cells,
                           std::span<const std::array<double, 6>> weight,
                           std::span<const double> values, std::span<double> out) {
  const std::size_t levels = vertices.levels;
  for (std::size_t v = 0; v < vertices.points; ++v) {
    const std::array<double, 6> w = weight[v];
    std::array<const double*, 6> x;
    for (int j = 0; j < 6; ++j) x[j] = &values[vertex_cells[v][j] * levels];
    double* result = &out[v * levels];
#pragma GCC ivdep
    for (std::size_t l = 0; l < levels; ++l)
      result[l] = w[0] * x[0][l] + w[1] * x[1][l] + w[2] * x[2][l] + w[3] * x[3][l] +
                  w[4] * x[4][l] + w[5] * x[5][l];
  }
}

}  // namespace thalweg::mini
