// SPDX-License-Identifier: Apache-2.0
// Reductions of a field over its levels, for two-dimensional output.
#pragma once

#include <algorithm>
#include <cstddef>
#include <source_location>
#include <span>

#include "stencils.hpp"

namespace thalweg::mini {

inline constexpr auto level_reduction_source = std::source_location::current();

enum class Reduction { mean, max, min, sum, first };

/// out[point] = reduction over levels of values[point][level]; sums run from level 1 upwards in
/// order.
inline void level_reduction(Extent extent, Reduction reduction, std::span<const double> values,
                            std::span<double> out) {
  const std::size_t levels = extent.levels;
  for (std::size_t p = 0; p < extent.points; ++p) {
    const double* x = &values[p * levels];
    double result = x[0];
    switch (reduction) {
      case Reduction::first:
        break;
      case Reduction::max:
        result = *std::max_element(x, x + levels);
        break;
      case Reduction::min:
        result = *std::min_element(x, x + levels);
        break;
      case Reduction::mean:
      case Reduction::sum:
        for (std::size_t l = 1; l < levels; ++l) result += x[l];
        if (reduction == Reduction::mean) result /= static_cast<double>(levels);
    }
    out[p] = result;
  }
}

}  // namespace thalweg::mini
