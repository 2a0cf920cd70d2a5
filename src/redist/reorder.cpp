// SPDX-License-Identifier: Apache-2.0
// Executes a plan block by block: for 64 points of the global order, all levels.
#include "redist/reorder.hpp"

#include <algorithm>
#include <array>

namespace thalweg {

namespace {

constexpr std::int64_t block_points = 64;  // 64 points x 30 levels x 8 bytes = 15 KiB: half an L1 cache

// Where one point's column starts and how far apart its levels are.
struct Column {
  const double* values;
  std::ptrdiff_t level_stride;
};

Column column_of(const Plan& plan, const SourceArray& source, int source_index, std::int64_t local,
                 int levels) {
  if (source.order == ArrayOrder::level_innermost) return {source.values + local * levels, 1};
  return {source.values + local, plan.points()[static_cast<std::size_t>(source_index)]};
}

}  // namespace

template <class Real>
void reorder(const Plan& plan, std::span<const SourceArray> sources, int levels, Real* global) {
  const auto runs = plan.runs();
  const auto size = plan.global_size();
  std::array<Column, block_points> columns;
  std::size_t run = 0;
  std::int64_t used = 0;  // points of `run` already placed
  for (std::int64_t begin = 0; begin < size; begin += block_points) {
    const auto count = std::min(block_points, size - begin);
    for (std::int64_t point = 0; point < count; ++point) {
      if (used == runs[run].length) ++run, used = 0;
      const auto source = runs[run].source;
      columns[static_cast<std::size_t>(point)] =
          column_of(plan, sources[static_cast<std::size_t>(source)], source,
                    runs[run].local + used, levels);
      ++used;
    }
    for (int level = 0; level < levels; ++level) {
      Real* row = global + level * size + begin;
      for (std::int64_t point = 0; point < count; ++point) {
        const auto& column = columns[static_cast<std::size_t>(point)];
        row[point] = static_cast<Real>(column.values[level * column.level_stride]);
      }
    }
  }
}

template void reorder<float>(const Plan&, std::span<const SourceArray>, int, float*);
template void reorder<double>(const Plan&, std::span<const SourceArray>, int, double*);

}  // namespace thalweg
