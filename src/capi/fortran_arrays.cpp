// SPDX-License-Identifier: Apache-2.0
// Fortran arrays of any rank, type and strides become views of the C interface.
#include <ISO_Fortran_binding.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "capi/last_error.hpp"
#include "thalweg.h"

namespace {

using namespace thalweg;

// Dimension number of a dope vector: extent and stride in values.
struct Dimension {
  std::int64_t extent;
  std::ptrdiff_t stride;
};

Dimension dimension(const CFI_cdesc_t& array, int number) {
  const auto& dim = array.dim[number];
  if (dim.extent < 0) {
    throw Error(Blame::user, "an array dummy argument (*) has no shape; declare it with (:)");
  }
  if (dim.sm % static_cast<CFI_index_t>(array.elem_len) != 0) {
    throw Error(Blame::user,
                "an array section that skips parts of values cannot be written; copy it first");
  }
  return {dim.extent, dim.sm / static_cast<CFI_index_t>(array.elem_len)};
}

int type_of(const CFI_cdesc_t& array) {
  if (array.type == CFI_type_double) return THALWEG_FLOAT64;
  if (array.type == CFI_type_float) return THALWEG_FLOAT32;
  if (array.type == CFI_type_int32_t) return THALWEG_INT32;
  if (array.type == CFI_type_int64_t) return THALWEG_INT64;
  throw Error(Blame::user, "values must be real32, real64, int32 or int64");
}

// The dimensions of an array; beyond rank 3 those of extent 1 do not count.
std::vector<Dimension> dimensions(const CFI_cdesc_t& array) {
  std::vector<Dimension> all;
  for (int number = 0; number < array.rank; ++number) all.push_back(dimension(array, number));
  while (all.size() > 3) {
    const auto one =
        std::find_if(all.begin(), all.end(), [](auto& each) { return each.extent == 1; });
    if (one == all.end()) break;
    all.erase(one);
  }
  return all;
}

// Dimensions that follow each other in equal steps are one.
void join_even(std::vector<Dimension>& points) {
  for (std::size_t next = 1; next < points.size();) {
    auto& before = points[next - 1];
    if (before.extent == 1) before.stride = points[next].stride;
    if (points[next].extent != 1 && before.extent * before.stride != points[next].stride &&
        before.extent != 1) {
      ++next;
      continue;
    }
    before.extent *= points[next].extent;
    points.erase(points.begin() + next);
  }
}

constexpr const char* orders =
    "(points), (points, levels), (nproma, blocks) or (nproma, levels, blocks), or with level_first "
    "(levels, points) or (levels, nproma, blocks)";

// Levels lie in the second dimension, or in the first; all others are points.
thalweg_view view_of(const CFI_cdesc_t& array, int levels, bool level_first,
                     std::int64_t points_needed, const char* field) {
  thalweg_view view{array.base_addr, 1, 0, 0, 0};
  auto points = dimensions(array);
  const auto refuse = [&](const std::string& what) {
    throw Error(Blame::user, fmt::format("field '{}' has {} levels, but its array {}; take {}",
                                         field, levels, what, orders));
  };
  if (points.empty()) refuse("is a single value");
  if (points.size() > 3) refuse(fmt::format("has {} dimensions", points.size()));
  if (levels > 1) {
    if (points.size() < 2) refuse("has one dimension");
    const auto at = points.begin() + (level_first ? 0 : 1);
    if (at->extent != levels) {
      refuse(fmt::format("has extent {} in dimension {}", at->extent, level_first ? 1 : 2));
    }
    view.level_stride = at->stride;
    points.erase(at);
  }
  std::int64_t held = 1;
  for (const auto& each : points) held *= each.extent;
  if (held < points_needed) {
    throw Error(Blame::user, fmt::format("the array of field '{}' has room for {} points, but the "
                                         "owned points of this rank need {}",
                                         field, held, points_needed));
  }
  const auto nproma = points.front();
  if (points.size() > 2) {  // nproma stays as it is: positions count in blocks
    auto blocks = std::vector<Dimension>(points.begin() + 1, points.end());
    join_even(blocks);
    points = {nproma};
    points.insert(points.end(), blocks.begin(), blocks.end());
  }
  view.point_stride = nproma.stride;
  if (points.size() < 2) return view;
  if (points.size() > 2) {
    throw Error(Blame::user,
                fmt::format("the array of field '{}' has rank {} and gaps; take {}, or copy it "
                            "first",
                            field, static_cast<int>(array.rank), orders));
  }
  view.block_points = nproma.extent;
  view.block_stride = points[1].stride;
  return view;
}

}  // namespace

extern "C" {

/// Called by fortran/thalweg_bodies.f90 only.
int thalweg_fortran_view(const CFI_cdesc_t* array, int levels, int type, int level_first,
                         std::int64_t points_needed, const char* field, thalweg_view* view) {
  return capi::status_of([&] {
    if (array->base_addr == nullptr && points_needed > 0) {  // its extents mean nothing
      throw Error(Blame::user, fmt::format("field '{}': its array is not allocated", field));
    }
    if (type_of(*array) != type) {
      throw Error(
          Blame::user,
          fmt::format("field '{}' was put with values of another type than defined", field));
    }
    *view = view_of(*array, levels, level_first != 0, points_needed, field);
  });
}

int thalweg_fortran_open(int world, const char* experiment, const char* directory,
                         thalweg_output** output) {
  return capi::status_of([&] {
           if (*output == nullptr) return;
           throw Error(Blame::user,
                       "the output is open already: close it before it is opened again");
         }) == THALWEG_OK
             ? thalweg_open(MPI_Comm_f2c(world), experiment, directory, output)
             : THALWEG_WRONG;
}

int thalweg_fortran_compute_comm(const thalweg_output* output) {
  return MPI_Comm_c2f(thalweg_compute_comm(output));
}

}  // extern "C"
