// SPDX-License-Identifier: Apache-2.0
// Executes a plan block by block: for 64 points of the global order, all levels.
#include "redist/reorder.hpp"

#include <algorithm>
#include <array>

#include "redist/transpose.hpp"

namespace thalweg {

namespace {

constexpr std::int64_t block_points =
    64;  // 64 points x 30 levels x 8 bytes = 15 KiB: half an L1 cache

// Stretch of a block that lies contiguously in one source.
struct Piece {
  int source;
  std::int64_t local, length;
};

// Walks through the runs of a plan, block by block.
class Blocks {
 public:
  explicit Blocks(const Plan& plan) : runs_(plan.runs()) {}
  /// The pieces of the next `count` points.
  std::span<const Piece> next(std::int64_t count) {
    pieces_.clear();
    while (count > 0) {
      if (used_ == runs_[run_].length) ++run_, used_ = 0;
      const auto length = std::min(count, runs_[run_].length - used_);
      pieces_.push_back({runs_[run_].source, runs_[run_].local + used_, length});
      used_ += length;
      count -= length;
    }
    return pieces_;
  }

 private:
  std::span<const PlanRun> runs_;
  std::size_t run_ = 0;
  std::int64_t used_ = 0;  // points of the current run already walked
  std::vector<Piece> pieces_;
};

// row[level * row_stride + point] = columns[point][level] for `points` points: 8 x 8 tiles, then
// the rims.
template <class Real>
void transpose_block(const double* const* columns, std::int64_t points, int levels,
                     std::int64_t row_stride, Real* row) {
  const std::int64_t whole_points = points / 8 * 8;
  const int whole_levels = levels / 8 * 8;
  for (int level = 0; level < whole_levels; level += 8) {
    for (std::int64_t point = 0; point < whole_points; point += 8) {
      transpose_8x8(columns + point, level, row + level * row_stride + point, row_stride);
    }
  }
  for (int level = 0; level < levels; ++level) {
    const auto first = level < whole_levels ? whole_points : 0;
    for (auto point = first; point < points; ++point) {
      row[level * row_stride + point] = static_cast<Real>(columns[point][level]);
    }
  }
}

template <class Real>
void reorder_columns(const Plan& plan, std::span<const SourceArray> sources, int levels,
                     Real* global) {
  Blocks blocks(plan);
  std::array<const double*, block_points> columns;
  const auto size = plan.global_size();
  for (std::int64_t begin = 0; begin < size; begin += block_points) {
    const auto count = std::min(block_points, size - begin);
    auto* column = columns.data();
    for (const auto& piece : blocks.next(count)) {
      const double* first =
          sources[static_cast<std::size_t>(piece.source)].values + piece.local * levels;
      for (std::int64_t point = 0; point < piece.length; ++point)
        *column++ = first + point * levels;
    }
    transpose_block(columns.data(), count, levels, size, global + begin);
  }
}

template <class Real>
void reorder_rows(const Plan& plan, std::span<const SourceArray> sources, int levels,
                  Real* global) {
  Blocks blocks(plan);
  const auto size = plan.global_size();
  constexpr std::int64_t long_block =
      4096;  // rows are copied as they lie: only the piece list must stay small
  for (std::int64_t begin = 0; begin < size; begin += long_block) {
    const auto pieces = blocks.next(std::min(long_block, size - begin));
    for (int level = 0; level < levels; ++level) {
      Real* into = global + level * size + begin;
      for (const auto& piece : pieces) {
        const auto source = static_cast<std::size_t>(piece.source);
        const double* from = sources[source].values + level * plan.points()[source] + piece.local;
        for (std::int64_t point = 0; point < piece.length; ++point) {
          into[point] = static_cast<Real>(from[point]);
        }
        into += piece.length;
      }
    }
  }
}

// Sources of different orders in one field: correct, point by point.
template <class Real>
void reorder_mixed(const Plan& plan, std::span<const SourceArray> sources, int levels,
                   Real* global) {
  const auto size = plan.global_size();
  for (const auto& run : plan.runs()) {
    const auto& source = sources[static_cast<std::size_t>(run.source)];
    const bool columns = source.order == ArrayOrder::level_innermost;
    const auto points = plan.points()[static_cast<std::size_t>(run.source)];
    for (std::int64_t point = 0; point < run.length; ++point) {
      for (std::int64_t level = 0; level < levels; ++level) {
        const auto local = run.local + point;
        const auto offset = columns ? local * levels + level : level * points + local;
        global[level * size + run.global + point] = static_cast<Real>(source.values[offset]);
      }
    }
  }
}

}  // namespace

template <class Real>
void reorder(const Plan& plan, std::span<const SourceArray> sources, int levels, Real* global) {
  const auto is_column = [](const SourceArray& array) {
    return array.order == ArrayOrder::level_innermost;
  };
  if (levels > 1 && std::all_of(sources.begin(), sources.end(), is_column)) {
    reorder_columns(plan, sources, levels, global);
  } else if (levels == 1 || std::none_of(sources.begin(), sources.end(), is_column)) {
    reorder_rows(plan, sources, levels, global);
  } else {
    reorder_mixed(plan, sources, levels, global);
  }
}

template void reorder<float>(const Plan&, std::span<const SourceArray>, int, float*);
template void reorder<double>(const Plan&, std::span<const SourceArray>, int, double*);

}  // namespace thalweg
