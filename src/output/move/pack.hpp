// SPDX-License-Identifier: Apache-2.0
// Copies a slice of a field out of the model's memory, in the order it lies there where it can.
#pragma once

#include <cstddef>
#include <span>

#include "output/deal/share.hpp"
#include "redist/reorder.hpp"
#include "thalweg/field.hpp"

namespace thalweg {

/// What of a field is copied: `points` points in these stretches of the model's array, and of the
/// stream's levels (0-based numbers in the model) those that the slice has.
struct PackRequest {
  std::span<const StagedRun> stretches;  ///< positions in the model's array
  std::int64_t points;
  int model_levels;
  std::span<const int> levels;
};

/// Copies to `into` (points * levels values of the view's type). Returns the
/// order it left them in: level_innermost if the model's is, else point_innermost.
ArrayOrder pack(const FieldView& view, const PackRequest& request, std::byte* into);

}  // namespace thalweg
