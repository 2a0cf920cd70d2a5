// SPDX-License-Identifier: Apache-2.0
// A part: the owned points of one compute rank, all fields, in the rank's own order, behind an
// index. The same bytes in every mode.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "redist/plan.hpp"
#include "redist/view_access.hpp"
#include "thalweg/output.hpp"
#include "thalweg/restart.hpp"

namespace thalweg {

/// Parts, and the fields in them, begin at multiples of this: a page of the page cache.
inline constexpr std::int64_t part_alignment_bytes = 4096;
/// Parts are checked and written in slabs that fit the second-level cache beside other data; slabs
/// end at multiples of this in the part.
inline constexpr std::int64_t part_slab_bytes = std::int64_t{1} << 20;

/// The points of one place that a rank owns. `local` = number in the order of OwnedPoints.
struct PlacePoints {
  std::int64_t global_size = 0;
  std::int64_t count = 0;
  std::vector<IndexRun> runs;  ///< ascending in `global`
  std::vector<Stretch> stretches;
};
using RankPoints = PerPlace<PlacePoints>;

/// Takes global indices in any order. Throws Error(user) if a point is given twice or is not one of
/// the place.
RankPoints rank_points(std::span<const OwnedPoints> points);

/// Throws Error(user) unless there is a view for every field, which holds this rank's points.
/// `done`: "written", "read".
template <class View>
void check_views(std::span<const FieldInfo> fields, std::span<const View> views,
                 const RankPoints& points, std::string_view done);

/// Where the values of one field lie in a part, in bytes.
struct PartField {
  ArrayOrder order = ArrayOrder::level_innermost;
  std::int64_t offset = 0, bytes = 0;
};

/// What a part begins with: 64-bit little-endian integers
///   "TWRSTRT1", rank, number of fields, index bytes, part bytes,
///   points of cell, edge, vertex, runs of cell, edge, vertex,
///   per field {order, offset, bytes}, per run {global, local, length}, place by place.
struct PartIndex {
  std::int64_t rank = 0;
  std::int64_t index_bytes = 0, part_bytes = 0;  ///< multiples of part_alignment_bytes
  PerPlace<std::int64_t> points{};
  std::vector<PartField> fields;
  PerPlace<std::vector<IndexRun>> runs;  ///< ascending in `global`

  std::vector<std::int64_t> encode() const;  ///< index_bytes long
  /// Throws Error(file_system) if these are not the words of an index.
  static PartIndex decode(std::span<const std::int64_t> words);
};

/// Index of this rank's part; orders[field]. Its size does not depend on the orders.
PartIndex make_part_index(std::int64_t rank, const RankPoints& points,
                          std::span<const FieldInfo> fields, std::span<const ArrayOrder> orders);

/// A part of this rank, in the model's memory. Owns nothing but its index.
class Part {
 public:
  Part(std::int64_t rank, const RankPoints& points, std::span<const FieldInfo> fields,
       std::span<const FieldView> views);

  const PartIndex& index() const { return index_; }
  std::int64_t bytes() const { return index_.part_bytes; }
  /// take(slab) for slabs that follow each other and make up the part: at most part_slab_bytes (or
  /// one point or level, where that is more), in the model's own memory where the values lie as
  /// they are to be written, else in a buffer that lives until take returns.
  void for_each_slab(const std::function<void(std::span<const std::byte>)>& take) const;
  /// Copies the whole part.
  void copy(std::byte* into) const;

 private:
  struct Source {
    const void* values;
    Addressing where;
  };
  PartIndex index_;
  std::vector<Source> sources_;  // [field]
};

}  // namespace thalweg
