// SPDX-License-Identifier: Apache-2.0
// Executes a plan block by block: for 64 points of the global order, all levels of a window.
#include "redist/reorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <type_traits>

#include "redist/transpose.hpp"
#include "thalweg/error.hpp"
#include "timing/trace_calls.hpp"

namespace thalweg {

namespace {

// 64 points x 30 levels x 8 bytes = 15 KiB: half an L1 cache
constexpr std::int64_t column_block = 64;

// Consecutive points of the global order whose values are evenly spaced in one source:
// value(point, level) = first[point * point_stride + level * level_stride].
template <class From>
struct Piece {
  const From* first;
  std::int64_t point_stride, level_stride, length;
};

// Walks through the runs of a plan from some point on.
template <class From>
class Pieces {
 public:
  Pieces(const Plan& plan, std::span<const SourceArray> sources, int levels,
         std::int64_t first_point)
      : sources_(sources), points_(plan.points()), levels_(levels) {
    const auto& first = plan.find(first_point);
    run_ = &first;
    used_ = first_point - first.global;
  }
  /// The pieces of the next `count` points.
  std::span<const Piece<From>> next(std::int64_t count) {
    pieces_.clear();
    while (count > 0) {
      if (used_ == run_->length) ++run_, used_ = 0;
      const auto piece =
          at(run_->source, run_->local + used_, std::min(count, run_->length - used_));
      pieces_.push_back(piece);
      used_ += piece.length;
      count -= piece.length;
    }
    return pieces_;
  }

 private:
  Piece<From> at(int source, std::int64_t local, std::int64_t length) const {
    const auto& array = sources_[source];
    const auto* values = static_cast<const From*>(array.values);
    if (array.order == ArrayOrder::level_innermost) {
      return {values + local * levels_, levels_, 1, length};
    }
    return {values + local, 1, points_[source], length};
  }

  std::span<const SourceArray> sources_;
  std::span<const std::int64_t> points_;
  std::int64_t levels_;
  const PlanRun* run_;
  std::int64_t used_;  // points of the current run already walked
  std::vector<Piece<From>> pieces_;
};

// What to do, apart from the types.
struct Task {
  const Plan& plan;
  std::span<const SourceArray> sources;
  int levels;
  ReorderWindow window;
};

// Pointers to the values of up to 64 consecutive points.
template <class From>
struct Columns {
  std::array<const From*, column_block> at;
  std::int64_t points = 0;
};

// rows[level * stride + point] = columns[point][first_level + level]: 8 x 8 tiles; the last tile in
// either direction begins earlier and overlaps. Meanwhile the columns that come after these are
// called into the cache: they lie too far apart for the processor to guess.
template <bool Swap, class From, class To>
void transpose_block(const Columns<From>& columns, const Columns<From>& after, const Task& task,
                     To* rows) {
  const auto stride = task.window.points;
  const std::int64_t begin = task.window.first_level, end = begin + task.window.levels;
  for (auto level = begin; level < end; level += 8) {
    const auto read = std::min<std::int64_t>(level, task.levels - 8);
    const auto skipped = static_cast<int>(level - read);
    const auto kept = static_cast<int>(std::min<std::int64_t>(8, end - read));
    To* row = rows + (level - begin) * stride;
    for (std::int64_t point = 0; point < columns.points; point += 8) {
      point = std::min(point, columns.points - 8);
      if (point + 8 <= after.points) {
        for (std::int64_t i = point; i < point + 8; ++i) {
          __builtin_prefetch(after.at[i] + read);
          __builtin_prefetch(after.at[i] + read + 7);
        }
      }
      const auto* eight = columns.at.data() + point;
      if (skipped == 0 && kept == 8) {
        transpose_8x8<Swap>(eight, read, 0, 8, row + point, stride);
      } else {
        transpose_8x8<Swap>(eight, read, skipped, kept, row + point, stride);
      }
    }
  }
}

template <bool Swap, class From, class To>
void reorder_columns(const Task& task, To* out) {
  Pieces<From> walk(task.plan, task.sources, task.levels, task.window.first_point);
  std::int64_t left = task.window.points;
  const auto fill = [&](Columns<From>& columns) {
    // No block has fewer than 8 points.
    const bool crumb = left > column_block && left < column_block + 8;
    columns.points = std::min(left, crumb ? column_block - 8 : column_block);
    left -= columns.points;
    auto* column = columns.at.data();
    for (const auto& piece : walk.next(columns.points)) {
      for (std::int64_t point = 0; point < piece.length; ++point) {
        *column++ = piece.first + point * piece.point_stride;
      }
    }
  };
  std::array<Columns<From>, 2> columns;
  fill(columns[0]);
  for (int now = 0; columns[now].points > 0; now = 1 - now) {
    fill(columns[1 - now]);
    transpose_block<Swap>(columns[now], columns[1 - now], task, out);
    out += columns[now].points;
  }
}

template <bool Swap, class From, class To>
void reorder_rows(const Task& task, To* out) {
  constexpr std::int64_t most = 4096;  // points at a time: the list of pieces stays small
  const auto& window = task.window;
  Pieces<From> walk(task.plan, task.sources, task.levels, window.first_point);
  for (std::int64_t begin = 0; begin < window.points; begin += most) {
    const auto pieces = walk.next(std::min(most, window.points - begin));
    for (int row = 0; row < window.levels; ++row) {
      const std::int64_t level = window.first_level + row;
      To* into = out + row * window.points + begin;
      for (const auto& piece : pieces) {
        convert_row<Swap>(piece.first + level * piece.level_stride, piece.length, into);
        into += piece.length;
      }
    }
  }
}

// Columns that are too few or too short for tiles, or different orders in one field.
template <bool Swap, class From, class To>
void reorder_any(const Task& task, To* out) {
  const auto& window = task.window;
  Pieces<From> walk(task.plan, task.sources, task.levels, window.first_point);
  for (std::int64_t begin = 0; begin < window.points; begin += column_block) {
    To* into = out + begin;
    for (const auto& piece : walk.next(std::min(column_block, window.points - begin))) {
      const From* first = piece.first + window.first_level * piece.level_stride;
      for (std::int64_t level = 0; level < window.levels; ++level) {
        for (std::int64_t point = 0; point < piece.length; ++point) {
          convert_row<Swap>(first + point * piece.point_stride + level * piece.level_stride, 1,
                            into + level * window.points + point);
        }
      }
      into += piece.length;
    }
  }
}

template <bool Swap, class From, class To>
void reorder_task(const Task& task, To* out) {
  trace_calls("reorder");
  bool any_column = false, any_row = false;
  for (const auto& source : task.sources) {
    const bool column = source.order == ArrayOrder::level_innermost && task.levels > 1;
    (column ? any_column : any_row) = true;
  }
  if (!any_column) {
    reorder_rows<Swap, From>(task, out);
  } else if (!any_row && task.levels >= 8 && task.window.points >= 8) {
    reorder_columns<Swap, From>(task, out);
  } else {
    reorder_any<Swap, From>(task, out);
  }
}

template <class Value>
constexpr ValueType type_of = std::is_integral_v<Value>
                                  ? (sizeof(Value) == 8 ? ValueType::int64 : ValueType::int32)
                                  : (sizeof(Value) == 8 ? ValueType::float64 : ValueType::float32);

void check(const Task& task, ValueType type) {
  const auto& window = task.window;
  if (window.first_level < 0 || window.levels < 0 ||
      window.first_level + window.levels > task.levels || window.first_point < 0 ||
      window.points < 0 || window.first_point + window.points > task.plan.global_size()) {
    throw Error(
        Blame::bug,
        fmt::format("levels {} + {} and points {} + {} are not part of a field of {} levels "
                    "and {} points",
                    window.first_level, window.levels, window.first_point, window.points,
                    task.levels, task.plan.global_size()));
  }
  for (const auto& source : task.sources) {
    if (source.type != type) {
      throw Error(Blame::bug, "an array to be reordered has an unexpected type");
    }
  }
}

}  // namespace

template <class From, class To>
void reorder(const Plan& plan, std::span<const SourceArray> sources, int levels,
             ReorderWindow window, bool swap, To* out) {
  const Task task{plan, sources, levels, window};
  check(task, type_of<From>);
  if (window.points == 0 || window.levels == 0) return;
  swap ? reorder_task<true, From>(task, out) : reorder_task<false, From>(task, out);
}

void reorder(const Plan& plan, std::span<const SourceArray> sources, int levels,
             ReorderWindow window, bool swap, ValueType to, void* out) {
  if (to == ValueType::int32) {
    return reorder<std::int32_t>(plan, sources, levels, window, swap,
                                 static_cast<std::int32_t*>(out));
  }
  if (to == ValueType::int64) {
    return reorder<std::int64_t>(plan, sources, levels, window, swap,
                                 static_cast<std::int64_t*>(out));
  }
  const bool narrow = !sources.empty() && sources.front().type == ValueType::float32;
  const auto run = [&](auto* typed) {
    using To = std::remove_pointer_t<decltype(typed)>;
    narrow ? reorder<float, To>(plan, sources, levels, window, swap, typed)
           : reorder<double, To>(plan, sources, levels, window, swap, typed);
  };
  to == ValueType::float32 ? run(static_cast<float*>(out)) : run(static_cast<double*>(out));
}

using Arrays = std::span<const SourceArray>;
template void reorder<float, float>(const Plan&, Arrays, int, ReorderWindow, bool, float*);
template void reorder<float, double>(const Plan&, Arrays, int, ReorderWindow, bool, double*);
template void reorder<double, float>(const Plan&, Arrays, int, ReorderWindow, bool, float*);
template void reorder<double, double>(const Plan&, Arrays, int, ReorderWindow, bool, double*);
template void reorder<std::int32_t>(const Plan&, Arrays, int, ReorderWindow, bool, std::int32_t*);
template void reorder<std::int64_t>(const Plan&, Arrays, int, ReorderWindow, bool, std::int64_t*);

}  // namespace thalweg
