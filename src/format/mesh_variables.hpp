// SPDX-License-Identifier: Apache-2.0
// The one list of variables that describe a mesh in a file: names, shapes, attributes, values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "format/ugrid.hpp"

namespace thalweg {

struct TextAttribute {
  const char *name, *value;
};

/// One variable with `width` values per point of `place`: either numbers or global indices.
struct MeshVariable {
  const char* name;
  Place place;
  int width;
  bool (*wanted)(const MeshContent&);
  std::vector<TextAttribute> attributes;
  void (*numbers)(const Mesh&, int point, double* out);        ///< out[width], nullptr for indices
  void (*indices)(const Mesh&, int point, std::int64_t* out);  ///< out[width], 0-based
};

std::span<const MeshVariable> mesh_variables();
bool is_wanted(const MeshVariable& variable, const MeshContent& content);
/// Is there a "NAME_bnds" among the wanted variables?
bool has_bounds(const MeshVariable& variable, const MeshContent& content);
/// Text attributes of the variable "mesh" that ties the others together (UGRID 1.0, "mesh
/// topology").
std::vector<TextAttribute> topology_attributes(const MeshContent& content);
/// Dimension of the second index of a variable, by its width: "two" to "six".
inline constexpr const char* small_dimensions[] = {"", "", "two", "three", "four", "five", "six"};

}  // namespace thalweg
