// SPDX-License-Identifier: Apache-2.0
// Absolute vorticity of a triangle.
#pragma once

#include <cstddef>
#include <source_location>
#include <span>

#include "stencils.hpp"

namespace thalweg::mini {

inline constexpr auto absolute_vorticity_source = std::source_location::current();

/// eta_c = zeta_c + f_c
///
/// relative [cells][levels] s-1; coriolis [cells] s-1; out [cells][levels] s-1
inline void absolute_vorticity(Extent cells, std::span<const double> relative,
                               std::span<const double> coriolis, std::span<double> out) {
  const std::size_t levels = cells.levels;
  for (std::size_t c = 0; c < cells.points; ++c) {
    for (std::size_t l = 0; l < levels; ++l)
      out[c * levels + l] = relative[c * levels + l] + coriolis[c];
  }
}

}  // namespace thalweg::mini
