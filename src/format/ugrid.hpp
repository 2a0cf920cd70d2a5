// SPDX-License-Identifier: Apache-2.0
// Describes an icosahedral mesh in a netCDF file: UGRID topology, CF coordinates and bounds.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

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
  std::array<std::int64_t, 3> first, size;  ///< [place] global index, points
};

/// Dimensions "cell", "edge", "vertex" (and small ones) and the mesh variables of one open netCDF
/// file. Data variables refer to them by `mesh = "mesh"`, location(place) and coordinates(place).
/// A file of a part of the grid gets the coordinates of its points and nothing else: connectivity
/// would point to vertices outside of it, and a topology without connectivity is none. Data
/// variables then have coordinates(place) only.
class UgridWriter {
 public:
  UgridWriter(const Grid& grid, MeshContent content, std::optional<GridPart> part = {});
  void define(int ncid) const;  ///< in define mode; no fill, contiguous. Throws Error(file_system).
  void write(int ncid) const;   ///< in data mode; slice by slice along the curve, constant memory;
                                ///< a small mesh is kept in memory for the next file
  bool is_whole() const { return whole_; }
  static const char* location(Place place);     ///< "face", "edge", "node"
  static const char* coordinates(Place place);  ///< "clon clat", "elon elat", "vlon vlat"

 private:
  Grid grid_;
  MeshContent content_;
  GridPart part_;
  bool whole_;
};

}  // namespace thalweg
