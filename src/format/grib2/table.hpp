// SPDX-License-Identifier: Apache-2.0
// What GRIB2 calls our fields: numbers of WMO's tables instead of names.
#pragma once

#include <span>
#include <vector>

#include "thalweg/field.hpp"

namespace thalweg {

inline constexpr int grib2_ground = 1, grib2_sea_level = 101, grib2_above_ground = 103,
                     grib2_general_height = 150, grib2_nowhere = 255;  ///< missing

/// A parameter of code table 4.2, and where it lies (code table 4.5): a layer between two surfaces.
struct Grib2Parameter {
  int discipline = 0, category = 0, number = 0;
  int surface = grib2_nowhere, second_surface = grib2_nowhere;
  bool has_levels() const { return surface == grib2_general_height; }
  bool is_layer() const { return second_surface == grib2_general_height; }
};

/// The parameter of every field of a run; no two are the same on one place. Only what is known by
/// standard name, units and where it lies gets a parameter of WMO's. Any other field gets a number
/// of the local categories 192 to 254 that follows from its name, and from the fields before it
/// where two names collide: all files of a run must be told all fields of the run, in their order.
std::vector<Grib2Parameter> grib2_parameters(std::span<const FieldInfo> fields);

}  // namespace thalweg
