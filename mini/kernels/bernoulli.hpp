// SPDX-License-Identifier: Apache-2.0
// Bernoulli function of a hexagon: potential of its surface plus kinetic energy.
#pragma once

#include <cstddef>
#include <source_location>
#include <span>

#include "stencils.hpp"

namespace thalweg::mini {

inline constexpr auto bernoulli_source = std::source_location::current();

/// B_v = g (h_v + b_v) + K_v                           (Ringler et al. 2010)
///
/// gravity m s-2; thickness h, kinetic K [vertices][levels] m, m2 s-2; ground b [vertices] m
/// out [vertices][levels] m2 s-2; may be `kinetic` itself
inline void bernoulli(Extent vertices, double gravity, std::span<const double> thickness,
                      std::span<const double> ground, std::span<const double> kinetic,
                      std::span<double> out) {
  const std::size_t levels = vertices.levels;
  for (std::size_t v = 0; v < vertices.points; ++v) {
    const double b = ground[v];
    const double *h = &thickness[v * levels], *k = &kinetic[v * levels];
    double* result = &out[v * levels];
#pragma GCC ivdep
    for (std::size_t l = 0; l < levels; ++l) result[l] = gravity * (h[l] + b) + k[l];
  }
}

}  // namespace thalweg::mini
