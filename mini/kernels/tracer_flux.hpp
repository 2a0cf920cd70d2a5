// SPDX-License-Identifier: Apache-2.0
// Flux of a passive tracer through the face between two hexagons.
#pragma once

#include <array>
#include <cstddef>
#include <source_location>
#include <span>

#include "stencils.hpp"

namespace thalweg::mini {

inline constexpr auto tracer_flux_source = std::source_location::current();

/// T_e = F_e * q_upwind, q = (h q) / h of the hexagon the mass comes from.
/// First-order upwind: monotone, and with the same F as the mass a constant tracer stays constant.
///
/// flux           [edges][levels] m2 s-1, mass flux F
/// thickness      [vertices][levels] m; tracer_mass [vertices][levels] h q, m times the tracer's
/// unit out            [edges][levels] m2 s-1 times the tracer's unit
inline void tracer_flux(Extent edges, std::span<const std::array<int, 2>> edge_vertices,
                        std::span<const double> flux, std::span<const double> thickness,
                        std::span<const double> tracer_mass, std::span<double> out) {
  const std::size_t levels = edges.levels;
  for (std::size_t e = 0; e < edges.points; ++e) {
    const std::size_t v0 = edge_vertices[e][0] * levels, v1 = edge_vertices[e][1] * levels;
    const double* f = &flux[e * levels];
    const double *h0 = &thickness[v0], *h1 = &thickness[v1];
    const double *m0 = &tracer_mass[v0], *m1 = &tracer_mass[v1];
    double* result = &out[e * levels];
#pragma GCC ivdep
    for (std::size_t l = 0; l < levels; ++l) {
      const bool forward = f[l] >= 0.0;
      result[l] = f[l] * ((forward ? m0[l] : m1[l]) / (forward ? h0[l] : h1[l]));
    }
  }
}

}  // namespace thalweg::mini
