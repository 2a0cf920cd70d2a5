// SPDX-License-Identifier: Apache-2.0
// Viscous tendency of the normal velocity.
#pragma once

#include <cstddef>
#include <source_location>
#include <span>

#include "stencils.hpp"

namespace thalweg::mini {

inline constexpr auto viscosity_source = std::source_location::current();

/// du_e/dt += nu * ((delta_v1 - delta_v0) / d_e + (zeta_c1 - zeta_c0) / l_e)
/// The vector Laplacian grad(div) - curl(curl); n_e points from c0 to c1, 90 degrees clockwise of
/// t_e.
///
/// nu m2 s-1; divergence_values [vertices][levels] s-1; vorticity [cells][levels] s-1
/// tendency [edges][levels] m s-2, added to
inline void viscosity(Extent edges, const Stencils& stencils, double nu,
                      std::span<const double> divergence_values, std::span<const double> vorticity,
                      std::span<double> tendency) {
  const std::size_t levels = edges.levels;
  for (std::size_t e = 0; e < edges.points; ++e) {
    const double along = nu * stencils.inverse_edge_length[e];
    const double across = nu * stencils.inverse_face_length[e];
    const double* d0 = &divergence_values[stencils.edge_vertices[e][0] * levels];
    const double* d1 = &divergence_values[stencils.edge_vertices[e][1] * levels];
    const double* z0 = &vorticity[stencils.edge_cells[e][0] * levels];
    const double* z1 = &vorticity[stencils.edge_cells[e][1] * levels];
    double* result = &tendency[e * levels];
#pragma GCC ivdep
    for (std::size_t l = 0; l < levels; ++l)
      result[l] += along * (d1[l] - d0[l]) + across * (z1[l] - z0[l]);
  }
}

}  // namespace thalweg::mini
