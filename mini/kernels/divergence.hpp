// SPDX-License-Identifier: Apache-2.0
// Divergence of an edge quantity over a hexagon.
#pragma once

#include <array>
#include <cstddef>
#include <source_location>
#include <span>

#include "stencils.hpp"

namespace thalweg::mini {

inline constexpr auto divergence_source = std::source_location::current();

/// out_v = factor * 1/A_v sum_e (+-1) l_e F_e        (Gauss; Ringler et al. 2010)
/// With factor = -1 and F the mass flux: the tendency of thickness.
///
/// flux [edges][levels]; weight [vertices][6] +-l_e / A_v, m-1; out [vertices][levels], unit of
/// flux per m
inline void divergence(Extent vertices, std::span<const std::array<int, 6>> vertex_edges,
                       std::span<const std::array<double, 6>> weight, std::span<const double> flux,
                       double factor, std::span<double> out) {
  const std::size_t levels = vertices.levels;
  for (std::size_t v = 0; v < vertices.points; ++v) {
    const std::array<double, 6> w = weight[v];
    std::array<const double*, 6> f;
    for (int j = 0; j < 6; ++j) f[j] = &flux[vertex_edges[v][j] * levels];
    double* result = &out[v * levels];
#pragma GCC ivdep
    for (std::size_t l = 0; l < levels; ++l)
      result[l] = factor * (w[0] * f[0][l] + w[1] * f[1][l] + w[2] * f[2][l] + w[3] * f[3][l] +
                            w[4] * f[4][l] + w[5] * f[5][l]);
  }
}

}  // namespace thalweg::mini
