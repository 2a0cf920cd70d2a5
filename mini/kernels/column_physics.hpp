// SPDX-License-Identifier: Apache-2.0
// Work like that of physical parametrisations: transcendental functions up and down a column.
#pragma once

#include <cstddef>
#include <source_location>
#include <span>

namespace thalweg::mini {

inline constexpr auto column_physics_source = std::source_location::current();

/// A stand-in for saturation and radiation: per level one exp, log and sqrt, each fed by the level
/// above. Columns are independent. Returns a number that depends on all of it, so that nothing is
/// left out.
///
/// thickness [points][levels] m, positive; columns [begin, end)
double column_physics(int begin, int end, int levels, std::span<const double> thickness);

}  // namespace thalweg::mini
