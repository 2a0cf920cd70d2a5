// SPDX-License-Identifier: Apache-2.0
// Whole rows as long as they fit; then parts of rows.
#include "output/deal/slab.hpp"

#include <algorithm>

namespace thalweg {

namespace {
constexpr int line_levels = 8;  // of float64 in a cache line of 64 bytes
}

Slab slab_of(const SlabWish& wish) {
  const auto row_bytes = std::max<std::int64_t>(wish.points * wish.value_bytes, 1);
  // Columns are read eight levels at a time: whole cache lines.
  const int least = wish.columns ? std::min(line_levels, wish.levels) : 1;
  const auto fitting = wish.bytes / row_bytes;
  if (fitting >= least) {
    const int step = wish.columns ? line_levels : 1;
    const auto whole = std::max<std::int64_t>(fitting / step * step, least);
    return {static_cast<int>(std::min<std::int64_t>(whole, wish.levels)), wish.points};
  }
  if (wish.cut_points == 0) {
    const auto most = std::max<std::int64_t>(whole_rows_bytes / row_bytes, 1);
    return {static_cast<int>(std::min<std::int64_t>(least, most)), wish.points};
  }
  const auto points = wish.bytes / (least * wish.value_bytes) / wish.cut_points * wish.cut_points;
  return {least, std::clamp(points, std::min(wish.cut_points, wish.points), wish.points)};
}

}  // namespace thalweg
