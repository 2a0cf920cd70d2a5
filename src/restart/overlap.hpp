// SPDX-License-Identifier: Apache-2.0
// Which points two lists of sorted index runs share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "redist/plan.hpp"

namespace thalweg {

/// Points that follow each other in a part and on this rank.
struct Overlap {
  std::int64_t packed;  ///< number in the part
  std::int64_t local;   ///< number on this rank
  std::int64_t length;
};

/// Merges runs that ascend in `global`; the overlaps ascend in `packed`. O(shorter list * log
/// longer
/// + overlaps).
std::vector<Overlap> find_overlaps(std::span<const IndexRun> part, std::span<const IndexRun> own);

}  // namespace thalweg
