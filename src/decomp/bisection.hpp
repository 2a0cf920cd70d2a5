// SPDX-License-Identifier: Apache-2.0
// Recursive geometric bisection: deals points on the sphere to parts by median cuts.
#pragma once

#include <vector>

#include "thalweg/grid.hpp"

namespace thalweg {

/// part[i] of each point, in [0, parts): the set is cut across its longer extent (north-south, or
/// east-west at its middle latitude) into shares proportional to half the parts, again and again.
/// Ties go by index, so the result is the same on every rank. Sizes differ by at most one per level
/// of cuts.
std::vector<int> bisect(const std::vector<Vec3>& points, int parts);

}  // namespace thalweg
