// SPDX-License-Identifier: Apache-2.0
// What is written: fields of known values, cells in blocks of 64 dealt round-robin to ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace thalweg::bench {

/// Cells of a block; consecutive blocks go to consecutive ranks.
inline constexpr std::int64_t block_cells = 64;

/// Sizes of one output step. Default: R2B5, 90 levels, 8 fields: 236 MB.
struct Workload {
  std::string grid = "R2B5";
  std::int64_t cells = 81920;
  int levels = 90;
  int fields = 8;
  int steps = 6;

  std::int64_t field_values() const { return cells * levels; }
  std::int64_t step_bytes() const {
    return field_values() * fields * static_cast<std::int64_t>(sizeof(float));
  }
  std::int64_t blocks() const { return cells / block_cells; }
};

/// Which cells a rank owns, and where: block b belongs to rank b % ranks as its block b / ranks.
struct Deal {
  std::int64_t blocks = 0;
  int ranks = 1;

  std::int64_t own_blocks(int rank) const { return (blocks - rank + ranks - 1) / ranks; }
  std::int64_t own_cells(int rank) const { return own_blocks(rank) * block_cells; }
  /// Global indices of the rank's cells, ascending: the order of its arrays.
  std::vector<std::int64_t> cells_of(int rank) const;
};

/// The values that are written and expected back: a smooth pattern over the cells, scaled by level,
/// shifted by field and step, exact in float32 on every rank of a machine.
class Values {
 public:
  explicit Values(const Workload& workload);
  /// The rank's values of every field, values[(field * levels + level) * own_cells + own cell].
  void fill(const Deal& deal, int rank, int step, float* values) const;
  /// Position of the first of `count` values from `first_cell` on that differs, or -1.
  std::int64_t first_difference(int field, int level, int step, std::int64_t first_cell,
                                std::int64_t count, const float* found) const;
  float at(int field, int level, int step, std::int64_t cell) const;

 private:
  const Workload& workload_;
  std::vector<float> pattern_;  // [cells]
};

}  // namespace thalweg::bench
