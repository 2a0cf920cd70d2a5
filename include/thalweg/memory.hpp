// SPDX-License-Identifier: Apache-2.0
// What output will take of memory, known before there is any.
#pragma once

#include <cstdint>
#include <span>

#include "thalweg/field.hpp"
#include "thalweg/output_settings.hpp"

namespace thalweg {

/// Bytes that compute ranks together hold of the steps of all streams until writers have taken
/// them. Without MPI. `sizes`: points of [cell, edge, vertex]. Throws Error(user) for unknown
/// variables, and for a budget that does not hold one step.
double bytes_on_the_way(std::span<const StreamSettings> streams, std::span<const FieldInfo> fields,
                        const OutputSettings& settings, const PerPlace<std::int64_t>& sizes);

}  // namespace thalweg
