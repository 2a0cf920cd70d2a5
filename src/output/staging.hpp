// SPDX-License-Identifier: Apache-2.0
// Copies a field out of the model's memory, in the order it lies there where that is one block.
#pragma once

#include <cstdint>
#include <span>

#include "redist/reorder.hpp"
#include "thalweg/field.hpp"

namespace thalweg {

/// Copies value(point, level) of `owned` points and the given levels (0-based) of a field that has
/// `model_levels` to `into` (owned * levels.size() doubles). Returns the order it left them in.
ArrayOrder pack(const FieldView& view, std::int64_t owned, int model_levels,
                std::span<const int> levels, double* into);

}  // namespace thalweg
