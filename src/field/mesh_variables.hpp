// SPDX-License-Identifier: Apache-2.0
// The one list of variables that describe a mesh in a file: names, shapes, attributes, values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "thalweg/decomposition.hpp"
#include "thalweg/grid.hpp"

namespace thalweg {

/// What of the mesh a file carries.
struct MeshContent {
  bool cell = true, edge = false, vertex = false;  ///< places that data variables live on
  bool bounds = false;                             ///< clon_bnds etc., for conservative remapping
  bool full = false;  ///< areas, lengths and all connectivity (grid files)
};

/// Consecutive points of every place: all that one file holds of a grid, or less.
struct GridPart {
  PerPlace<std::int64_t> first, size;  ///< global index, points
};

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

const char* mesh_location(Place place);     ///< "face", "edge", "node"
const char* mesh_coordinates(Place place);  ///< "clon clat", "elon elat", "vlon vlat"

std::span<const MeshVariable> mesh_variables();
bool is_wanted(const MeshVariable& variable, const MeshContent& content);
/// Rings of halo cells that a mesh needs for the values of these variables: hexagons and kites need
/// the cells around them, the rest what touches the own cells.
int halo_depth_of(const MeshContent& content);
/// Bytes of all bounds that a file with this content has if it has bounds; `sizes` in points.
std::int64_t bounds_bytes(MeshContent content, const PerPlace<std::int64_t>& sizes);
/// Is there a "NAME_bnds" among the wanted variables?
bool has_bounds(const MeshVariable& variable, const MeshContent& content);
/// Text attributes of the variable "mesh" that ties the others together (UGRID 1.0, "mesh
/// topology").
std::vector<TextAttribute> topology_attributes(const MeshContent& content);
/// Dimension of the second index of a variable, by its width: "two" to "six".
inline constexpr const char* small_dimensions[] = {"", "", "two", "three", "four", "five", "six"};

}  // namespace thalweg
