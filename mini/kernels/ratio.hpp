// SPDX-License-Identifier: Apache-2.0
// Tracer from its mass: one field divided by another, point by point.
#pragma once

#include <cstddef>
#include <source_location>
#include <span>

#include "stencils.hpp"

namespace thalweg::mini {

inline constexpr auto ratio_source = std::source_location::current();

/// out = numerator / denominator; all [points][levels]. Tracer q = (h q) / h.
inline void ratio(Extent extent, std::span<const double> numerator,
                  std::span<const double> denominator, std::span<double> out) {
  const std::size_t size = extent.values();
#pragma GCC ivdep
  for (std::size_t i = 0; i < size; ++i) out[i] = numerator[i] / denominator[i];
}

}  // namespace thalweg::mini
