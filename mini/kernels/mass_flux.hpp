// SPDX-License-Identifier: Apache-2.0
// Mass flux through the face between two hexagons.
#pragma once

#include <array>
#include <cstddef>
#include <source_location>
#include <span>

#include "stencils.hpp"

namespace thalweg::mini {

inline constexpr auto mass_flux_source = std::source_location::current();

/// F_e = (h_v0 + h_v1) / 2 * u_e          (Ringler et al. 2010: centred, as energy demands)
///
/// thickness [vertices][levels] m; velocity [edges][levels] m s-1, along t_e
/// flux      [edges][levels] m2 s-1, positive from v0 to v1
inline void mass_flux(Extent edges, std::span<const std::array<int, 2>> edge_vertices,
                      std::span<const double> thickness, std::span<const double> velocity,
                      std::span<double> flux) {
  const std::size_t levels = edges.levels;
  for (std::size_t e = 0; e < edges.points; ++e) {
    const double* h0 = &thickness[edge_vertices[e][0] * levels];
    const double* h1 = &thickness[edge_vertices[e][1] * levels];
    const double* u = &velocity[e * levels];
    double* out = &flux[e * levels];
#pragma GCC ivdep
    for (std::size_t l = 0; l < levels; ++l) out[l] = 0.5 * (h0[l] + h1[l]) * u[l];
  }
}

}  // namespace thalweg::mini
