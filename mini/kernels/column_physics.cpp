// SPDX-License-Identifier: Apache-2.0
// Work like that of physical parametrisations: the sweep itself.
#include "kernels/column_physics.hpp"

#include <cmath>
#include <cstdint>

namespace thalweg::mini {

double column_physics(int begin, int end, int levels, std::span<const double> thickness) {
  double kept = 0.0;
  for (int column = begin; column < end; ++column) {
    double above = 1.0;  // dimensionless, stays in (0, 4)
    for (int l = 0; l < levels; ++l) {
      const double h = thickness[std::int64_t{column} * levels + l] * 1e-4;
      above = std::sqrt(1.0 + std::log1p(h * above) + std::exp(-h - above));
    }
    kept += above;
  }
  return kept;
}

}  // namespace thalweg::mini
