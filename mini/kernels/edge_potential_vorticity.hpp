// SPDX-License-Identifier: Apache-2.0
// Potential vorticity at an edge, between its two triangles.
#pragma once

#include <array>
#include <cstddef>
#include <source_location>
#include <span>

#include "stencils.hpp"

namespace thalweg::mini {

inline constexpr auto edge_potential_vorticity_source = std::source_location::current();

/// q_e = (q_c0 + q_c1) / 2 - anticipation_e           (Ringler et al. 2010)
///
/// values [cells][levels] q, m-1 s-1; anticipation [edges][levels] m-1 s-1; out [edges][levels] m-1
/// s-1
inline void edge_potential_vorticity(Extent edges, std::span<const std::array<int, 2>> edge_cells,
                                     std::span<const double> values,
                                     std::span<const double> anticipation, std::span<double> out) {
  const std::size_t levels = edges.levels;
  for (std::size_t e = 0; e < edges.points; ++e) {
    const double* q0 = &values[edge_cells[e][0] * levels];
    const double* q1 = &values[edge_cells[e][1] * levels];
    const double* ahead = &anticipation[e * levels];
    double* result = &out[e * levels];
#pragma GCC ivdep
    for (std::size_t l = 0; l < levels; ++l) result[l] = 0.5 * (q0[l] + q1[l]) - ahead[l];
  }
}

}  // namespace thalweg::mini
