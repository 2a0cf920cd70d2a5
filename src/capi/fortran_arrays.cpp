// SPDX-License-Identifier: Apache-2.0
// Fortran arrays of any rank, type and strides become views of the C interface.
#include <ISO_Fortran_binding.h>
#include <fmt/format.h>

#include <string>

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
  throw Error(Blame::user, "values must be real32, real64 or int32");
}

// (points), (points, levels), (levels, points), (nproma, blocks) or (nproma, levels, blocks).
thalweg_view view_of(const CFI_cdesc_t& array, int levels, bool level_first, const char* field) {
  thalweg_view view{array.base_addr, 1, 0, 0, 0};
  const auto refuse = [&](int number, const char* order) {
    throw Error(Blame::user,
                fmt::format("field '{}' has {} levels, but dimension {} of its array has {}; the "
                            "order must be {}",
                            field, levels, number + 1, array.dim[number].extent, order));
  };
  const auto set_levels = [&](int number, const char* order) {
    const auto level = dimension(array, number);
    if (level.extent != levels) refuse(number, order);
    view.level_stride = level.stride;
  };
  const auto set_blocks = [&](int number) {
    const auto lane = dimension(array, 0), block = dimension(array, number);
    view.point_stride = lane.stride;
    view.block_points = lane.extent;
    view.block_stride = block.stride;
  };
  if (array.rank == 1 && levels == 1) {
    view.point_stride = dimension(array, 0).stride;
  } else if (array.rank == 2 && levels == 1) {
    set_blocks(1);
  } else if (array.rank == 2) {
    set_levels(level_first ? 0 : 1, level_first ? "(levels, points)" : "(points, levels)");
    view.point_stride = dimension(array, level_first ? 1 : 0).stride;
  } else if (array.rank == 3) {
    set_levels(1, "(nproma, levels, blocks)");
    set_blocks(2);
  } else {
    throw Error(
        Blame::user,
        fmt::format("field '{}' with {} levels was put as an array of rank {}; take (points), "
                    "(points, levels), (nproma, blocks) or (nproma, levels, blocks)",
                    field, levels, static_cast<int>(array.rank)));
  }
  return view;
}

}  // namespace

extern "C" {

/// Called by fortran/thalweg_bodies.f90 only.
int thalweg_fortran_view(const CFI_cdesc_t* array, int levels, int type, int level_first,
                         const char* field, thalweg_view* view) {
  return capi::status_of([&] {
    if (type_of(*array) != type) {
      throw Error(
          Blame::user,
          fmt::format("field '{}' was put with values of another type than defined", field));
    }
    *view = view_of(*array, levels, level_first != 0, field);
  });
}

int thalweg_fortran_open(int world, const char* experiment, const char* directory,
                         thalweg_output** output) {
  return thalweg_open(MPI_Comm_f2c(world), experiment, directory, output);
}

int thalweg_fortran_compute_comm(const thalweg_output* output) {
  return MPI_Comm_c2f(thalweg_compute_comm(output));
}

}  // extern "C"
