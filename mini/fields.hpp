// SPDX-License-Identifier: Apache-2.0
// The table of output fields of the shallow-water equations: what each is called and which kernel
// computes it.
#pragma once

#include <optional>
#include <source_location>
#include <span>
#include <vector>

#include "derived.hpp"
#include "thalweg/field.hpp"

namespace thalweg::mini {

enum class Reduction { mean, max, min, sum, first };

/// out[point] = reduction over levels of values[point][level].
void reduce_levels(Extent extent, Reduction reduction, std::span<const double> values,
                   std::span<double> out);

/// One output field. Without a reduction its values are what `compute` returns; with one, the
/// two-dimensional field is that reduction of them over the layers.
struct FieldRow {
  FieldInfo info;  ///< levels = 1, or 0 = as many as the model has
  Derived::Values (*compute)(Derived&);
  std::optional<Reduction> reduction;
  std::source_location kernel;  ///< where the values come from, for a trace
};

/// 12 three-dimensional and 28 two-dimensional fields, and those on request: with as many edge as
/// vertex fields in each group, an output of L layers is 12 L + 28 values per cell (a grid has 3/2
/// edges and 1/2 vertex per cell).
const std::vector<FieldRow>& field_table();

/// Descriptions of all fields for a model of `levels` layers, in the order of the table.
std::vector<FieldInfo> output_fields(int levels);

}  // namespace thalweg::mini
