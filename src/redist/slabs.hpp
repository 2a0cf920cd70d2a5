// SPDX-License-Identifier: Apache-2.0
// Divides a field into windows that reorder fast and stay in the cache until they are written.
#pragma once

#include <cstdint>
#include <vector>

#include "redist/reorder.hpp"

namespace thalweg {

/// Bytes of a slab: what stays in a second- or third-level cache between reordering and writing.
inline constexpr std::int64_t slab_bytes = std::int64_t{2} << 20;

/// Windows that cover `whole` once, level-outermost, each of about slab_bytes when a value takes
/// `value_bytes`. Rows copied as they lie (point_innermost) come as whole rows where they fit. From
/// columns and blocks 16 levels are taken at a time, since each of their cache lines holds several
/// (measured, float32, R2B7: slabs of 16 levels 3.7 values/ns, of one level 0.2).
std::vector<ReorderWindow> slabs_of(const ReorderWindow& whole, ArrayOrder order,
                                    std::int64_t value_bytes);

}  // namespace thalweg
