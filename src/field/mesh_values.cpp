// SPDX-License-Identifier: Apache-2.0
// Walks the slices of the curve that hold the wanted points.
#include "field/mesh_values.hpp"

#include <algorithm>
#include <deque>
#include <numeric>
#include <string>

#include "thalweg/decomposition.hpp"

namespace thalweg {
namespace {

constexpr std::int64_t slice_cells = 65'536;  // about 60 MB of mesh while a slice is made

// R2B7 (1.3 million cells) with fields on cells takes 68 MB. One mesh is 52 bytes per cell, where a
// field of 90 levels in float32 has 360.
constexpr std::int64_t kept_bytes = std::int64_t{128} << 20U;

/// The mesh of one slice of the curve at a time.
class Slices {
 public:
  Slices(const Grid& grid, int halo_depth)
      : along_curve_(grid, static_cast<int>((grid.cells() + slice_cells - 1) / slice_cells),
                     "curve"),
        halo_depth_(halo_depth) {}

  int count() const { return along_curve_.parts(); }

  const Mesh& at(int slice) {
    if (slice != current_) mesh_ = build_mesh(along_curve_, slice, halo_depth_);
    current_ = slice;
    return mesh_;
  }

 private:
  Decomposition along_curve_;
  int halo_depth_;
  int current_ = -1;
  Mesh mesh_;
};

/// Global indices [begin, end) of a place that a slice owns: consecutive, because the grid's order
/// of edges and vertices follows the cells.
struct OwnedRange {
  std::int64_t begin, end;
};
OwnedRange owned_range(const PlacePart& place) {
  const auto begin = place.owned == 0 ? 0 : place.global[0];
  return {begin, begin + place.owned};
}

template <class Value, class Fill>
std::vector<Value> gather(std::int64_t begin, std::int64_t end, int width, const Fill& fill) {
  std::vector<Value> values((end - begin) * width);
  auto* next = values.data();
  for (auto point = begin; point < end; ++point, next += width) {
    fill(static_cast<int>(point), next);
  }
  return values;
}

/// What the slice holds of the variable's points in `part`.
MeshSlice values_of(const Mesh& mesh, const MeshVariable& variable, const GridPart& part) {
  const Place place = variable.place;
  const auto owned = owned_range(mesh.part(place));
  const auto begin = std::max(owned.begin, part.first[place]);
  const auto end = std::min(owned.end, part.first[place] + part.size[place]);
  MeshSlice slice{&variable, begin, std::max<std::int64_t>(end - begin, 0), {}, {}};
  if (slice.points == 0) return slice;
  const auto local = begin - owned.begin, local_end = end - owned.begin;
  if (variable.numbers != nullptr) {
    slice.numbers = gather<double>(local, local_end, variable.width, [&](int point, double* out) {
      variable.numbers(mesh, point, out);
    });
  } else {
    slice.indices =
        gather<long long>(local, local_end, variable.width, [&](int point, long long* out) {
          std::int64_t global[6];
          variable.indices(mesh, point, global);
          std::copy_n(global, variable.width, out);
        });
  }
  return slice;
}

/// Does the slice end after the first wanted point of some place? True from some slice on.
bool reaches(const Mesh& mesh, const GridPart& part) {
  for (const Place place : {Place::cell, Place::edge, Place::vertex}) {
    if (part.size[place] > 0 && owned_range(mesh.part(place)).end > part.first[place]) return true;
  }
  return false;
}

/// Is there a wanted point after this slice?
bool goes_on(const Mesh& mesh, const GridPart& part) {
  for (const Place place : {Place::cell, Place::edge, Place::vertex}) {
    if (part.size[place] > 0 &&
        owned_range(mesh.part(place)).end < part.first[place] + part.size[place]) {
      return true;
    }
  }
  return false;
}

struct KeptMesh {
  Grid grid;
  GridPart part;
  std::vector<const MeshVariable*> variables;
  std::int64_t bytes;
  std::shared_ptr<const std::vector<MeshSlice>> values;
};

std::int64_t bytes_of(const GridPart& part, std::span<const MeshVariable* const> variables) {
  return std::accumulate(variables.begin(), variables.end(), std::int64_t{0},
                         [&](std::int64_t sum, const MeshVariable* variable) {
                           return sum + variable->width * std::int64_t{sizeof(double)} *
                                            part.size[variable->place];
                         });
}

void append(MeshSlice& whole, const MeshSlice& slice) {
  whole.points += slice.points;
  whole.numbers.insert(whole.numbers.end(), slice.numbers.begin(), slice.numbers.end());
  whole.indices.insert(whole.indices.end(), slice.indices.begin(), slice.indices.end());
}

}  // namespace

void compute_mesh_values(const Grid& grid, const GridPart& part,
                         std::span<const MeshVariable* const> variables, int halo_depth,
                         const std::function<void(const MeshSlice&)>& take) {
  Slices slices(grid, halo_depth);
  int slice = 0;
  for (int after = slices.count() - 1; slice < after;) {  // the first slice that reaches the part
    const int middle = (slice + after) / 2;
    reaches(slices.at(middle), part) ? after = middle : slice = middle + 1;
  }
  for (bool more = true; more && slice < slices.count(); ++slice) {
    const Mesh& mesh = slices.at(slice);
    for (const MeshVariable* variable : variables) {
      const auto values = values_of(mesh, *variable, part);
      if (values.points > 0) take(values);
    }
    more = goes_on(mesh, part);
  }
}

std::shared_ptr<const std::vector<MeshSlice>> kept_mesh_values(
    const Grid& grid, const GridPart& part, std::span<const MeshVariable* const> variables,
    int halo_depth) {
  static std::deque<KeptMesh> kept;  // newest first, together at most kept_bytes
  const auto found = std::find_if(kept.begin(), kept.end(), [&](const KeptMesh& mesh) {
    return mesh.grid.n == grid.n && mesh.grid.k == grid.k && mesh.part.first == part.first &&
           mesh.part.size == part.size && std::ranges::equal(mesh.variables, variables);
  });
  if (found != kept.end()) return found->values;
  const auto bytes = bytes_of(part, variables);
  if (bytes > kept_bytes) return nullptr;

  std::vector<MeshSlice> values;
  for (const MeshVariable* variable : variables) {
    const Place place = variable->place;
    values.push_back({variable, part.first[place], 0, {}, {}});
    const std::size_t size = part.size[place] * variable->width;
    variable->numbers != nullptr ? values.back().numbers.reserve(size)
                                 : values.back().indices.reserve(size);
  }
  compute_mesh_values(grid, part, variables, halo_depth, [&](const MeshSlice& slice) {
    append(*std::ranges::find(values, slice.variable, &MeshSlice::variable), slice);
  });
  kept.push_front({grid,
                   part,
                   {variables.begin(), variables.end()},
                   bytes,
                   std::make_shared<const std::vector<MeshSlice>>(std::move(values))});
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    sum += kept[i].bytes;
    if (sum > kept_bytes) kept.resize(i);
  }
  return kept.front().values;
}

}  // namespace thalweg
