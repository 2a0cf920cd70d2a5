// SPDX-License-Identifier: Apache-2.0
// Dealing cells to ranks, and the values of every cell.
#include "workload.hpp"

#include <cmath>
#include <numbers>

namespace thalweg::bench {
namespace {

/// value = pattern[cell] * factor + shift.
struct Line {
  float factor, shift;
};

Line line_of(int field, int level, int step) {
  return {1.0F + 0.01F * static_cast<float>(level),
          250.0F + 10.0F * static_cast<float>(field) + 0.5F * static_cast<float>(step)};
}

}  // namespace

std::vector<std::int64_t> Deal::cells_of(int rank) const {
  std::vector<std::int64_t> cells;
  cells.reserve(own_cells(rank));
  for (std::int64_t block = rank; block < blocks; block += ranks) {
    for (std::int64_t cell = 0; cell < block_cells; ++cell)
      cells.push_back(block * block_cells + cell);
  }
  return cells;
}

Values::Values(const Workload& workload) : workload_(workload), pattern_(workload.cells) {
  for (std::size_t cell = 0; cell < pattern_.size(); ++cell) {
    // Waves from the planet's size down to a few cells, as neighbours in file order are close.
    const double angle =
        2.0 * std::numbers::pi * static_cast<double>(cell) / static_cast<double>(pattern_.size());
    pattern_[cell] =
        static_cast<float>(20.0 * std::sin(3.0 * angle) + 5.0 * std::sin(41.0 * angle) +
                           0.5 * std::sin(1009.0 * angle));
  }
}

void Values::fill(const Deal& deal, int rank, int step, float* values) const {
  for (int field = 0; field < workload_.fields; ++field) {
    for (int level = 0; level < workload_.levels; ++level) {
      const auto [factor, shift] = line_of(field, level, step);
      for (std::int64_t block = rank; block < deal.blocks; block += deal.ranks) {
        const float* pattern = pattern_.data() + block * block_cells;
        for (std::int64_t cell = 0; cell < block_cells; ++cell)
          *values++ = pattern[cell] * factor + shift;
      }
    }
  }
}

std::int64_t Values::first_difference(int field, int level, int step, std::int64_t first_cell,
                                      std::int64_t count, const float* found) const {
  const auto [factor, shift] = line_of(field, level, step);
  const float* pattern = pattern_.data() + first_cell;
  std::int64_t wrong = 0;  // counted first: a loop without a way out runs in vectors
  for (std::int64_t i = 0; i < count; ++i) wrong += !(found[i] == pattern[i] * factor + shift);
  if (wrong == 0) return -1;
  std::int64_t first = 0;
  while (found[first] == pattern[first] * factor + shift) ++first;
  return first;
}

float Values::at(int field, int level, int step, std::int64_t cell) const {
  const auto [factor, shift] = line_of(field, level, step);
  return pattern_[cell] * factor + shift;
}

}  // namespace thalweg::bench
