// SPDX-License-Identifier: Apache-2.0
// How much potential vorticity changes along the flow in a part of a time step.
#pragma once

#include <cstddef>
#include <source_location>
#include <span>

#include "stencils.hpp"

namespace thalweg::mini {

inline constexpr auto anticipation_source = std::source_location::current();

/// D_e = theta * (u_e dq/dt_e + v_e dq/dn_e): subtracting D from q_e takes the potential vorticity
/// from upstream (anticipated potential vorticity: Sadourny & Basdevant 1985; Ringler et al. 2010).
/// It dissipates enstrophy and, entering q_e symmetrically, no energy.
///
/// theta s; velocity u, tangential v [edges][levels] m s-1 along t_e and n_e
/// cell_values q [cells][levels], vertex_values [vertices][levels] m-1 s-1; out [edges][levels] m-1
/// s-1
inline void anticipation(Extent edges, const Stencils& stencils, double theta,
                         std::span<const double> velocity, std::span<const double> tangential,
                         std::span<const double> cell_values, std::span<const double> vertex_values,
                         std::span<double> out) {
  const std::size_t levels = edges.levels;
  for (std::size_t e = 0; e < edges.points; ++e) {
    const double along = theta * stencils.inverse_edge_length[e];
    const double across = theta * stencils.inverse_face_length[e];
    const double* v0 = &vertex_values[stencils.edge_vertices[e][0] * levels];
    const double* v1 = &vertex_values[stencils.edge_vertices[e][1] * levels];
    const double* c0 = &cell_values[stencils.edge_cells[e][0] * levels];
    const double* c1 = &cell_values[stencils.edge_cells[e][1] * levels];
    const double *u = &velocity[e * levels], *v = &tangential[e * levels];
    double* result = &out[e * levels];
#pragma GCC ivdep
    for (std::size_t l = 0; l < levels; ++l)
      result[l] = along * u[l] * (v1[l] - v0[l]) + across * v[l] * (c1[l] - c0[l]);
  }
}

}  // namespace thalweg::mini
