// SPDX-License-Identifier: Apache-2.0
// How the values of a slice are cut into slabs: what a writer reorders and hands on at once.
#pragma once

#include <cstdint>

namespace thalweg {

/// Levels and consecutive points of one slab; the last ones of a slice may have fewer.
struct Slab {
  int levels = 1;
  std::int64_t points = 0;
  bool operator==(const Slab&) const = default;
};

/// What decides about it.
struct SlabWish {
  int levels = 1;                ///< of the slice
  std::int64_t points = 0;       ///< of the slice
  std::int64_t value_bytes = 4;  ///< in the file
  bool columns = false;          ///< levels of a point lie together where they come from
  std::int64_t bytes = 0;        ///< best size for the container
  std::int64_t cut_points = 0;   ///< rows may be cut at multiples of this; 0 = not at all
};

/// Largest slab of a container that takes whole rows only, bytes, unless one row is larger: of
/// R2B8 a third of it is a row of float64.
inline constexpr std::int64_t whole_rows_bytes = std::int64_t{128} << 20;

/// At most `bytes`, where rows may be cut; at least one value, or one whole row.
Slab slab_of(const SlabWish& wish);

}  // namespace thalweg
