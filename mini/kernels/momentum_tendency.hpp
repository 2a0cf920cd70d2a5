// SPDX-License-Identifier: Apache-2.0
// Tendency of the normal velocity: Coriolis and vorticity force, and the Bernoulli gradient.
#pragma once

#include <array>
#include <cstddef>
#include <source_location>
#include <span>

#include "level_blocks.hpp"
#include "stencils.hpp"

namespace thalweg::mini {

inline constexpr auto momentum_tendency_source = std::source_location::current();

/// du_e/dt = -1/d_e sum_e' w_ee' l_e' F_e' (q_e + q_e') / 2 - (B_v1 - B_v0) / d_e,  B = g (h + b) +
/// K (Ringler et al. 2010). The symmetric mean of q and the antisymmetric w make the first term do
/// no work, whatever q is.
///
/// flux F [edges][levels] m2 s-1; edge_pv q [edges][levels] m-1 s-1; bernoulli [vertices][levels]
/// m2 s-2 out [edges][levels] m s-2
inline void momentum_tendency(Extent edges, const Stencils& stencils, std::span<const double> flux,
                              std::span<const double> edge_pv, std::span<const double> bernoulli,
                              std::span<double> out) {
  const std::size_t levels = edges.levels;
  for (std::size_t e = 0; e < edges.points; ++e) {
    const std::array<double, ring_size>& w = stencils.perpendicular_weight[e];
    const std::array<int, ring_size>& ring = stencils.edge_ring[e];
    const double slope = stencils.inverse_edge_length[e];
    const double* q = &edge_pv[e * levels];
    const double* b0 = &bernoulli[stencils.edge_vertices[e][0] * levels];
    const double* b1 = &bernoulli[stencils.edge_vertices[e][1] * levels];
    double* result = &out[e * levels];
    for_level_blocks(levels, [&](auto width, std::size_t first) {
      double sum[width];
      for (int i = 0; i < width; ++i) sum[i] = slope * (b0[first + i] - b1[first + i]);
      for (int j = 0; j < ring_size; ++j) {
        const double half_weight = 0.5 * w[j];
        const double* f = &flux[ring[j] * levels + first];
        const double* other_q = &edge_pv[ring[j] * levels + first];
        for (int i = 0; i < width; ++i) sum[i] -= half_weight * f[i] * (q[first + i] + other_q[i]);
      }
      for (int i = 0; i < width; ++i) result[first + i] = sum[i];
    });
  }
}

}  // namespace thalweg::mini
