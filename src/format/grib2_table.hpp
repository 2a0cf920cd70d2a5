// SPDX-License-Identifier: Apache-2.0
// What GRIB2 calls our fields: numbers of WMO's tables instead of names.
#pragma once

#include <span>
#include <vector>

#include "thalweg/field.hpp"

namespace thalweg {

/// A parameter of code table 4.2, and where it lies (code table 4.5).
struct Grib2Parameter {
  int discipline = 0, category = 0, number = 0;
  int surface = 1;  ///< of two-dimensional fields
};
inline constexpr int grib2_ground = 1, grib2_whole_atmosphere = 10, grib2_model_layer = 150;

/// The parameter of every field of a file; no two are the same on one place. A field the tables do
/// not know gets a number of the local categories 192 to 254 that follows from its name, the same
/// in every file unless two names of one file collide.
std::vector<Grib2Parameter> grib2_parameters(std::span<const FieldInfo> fields);

}  // namespace thalweg
