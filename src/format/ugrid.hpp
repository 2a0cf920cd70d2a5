// SPDX-License-Identifier: Apache-2.0
// Describes an icosahedral mesh in a netCDF file: UGRID topology, CF coordinates and bounds.
#pragma once

#include "thalweg/grid.hpp"

namespace thalweg {

/// What of the mesh a file carries.
struct MeshContent {
  bool cell = true, edge = false, vertex = false;  ///< places that data variables live on
  bool bounds = false;                             ///< clon_bnds etc., for conservative remapping
  bool full = false;  ///< areas, lengths and all connectivity (grid files)
};

/// Dimensions "cell", "edge", "vertex" (and small ones) and the mesh variables of one open netCDF
/// file. Data variables refer to them by `mesh = "mesh"`, location(place) and coordinates(place).
class UgridWriter {
 public:
  UgridWriter(const Grid& grid, MeshContent content) : grid_(grid), content_(content) {}
  void define(int ncid) const;  ///< in define mode; no fill, contiguous. Throws Error(file_system).
  void write(int ncid) const;   ///< in data mode; slice by slice along the curve, constant memory
  static const char* location(Place place);     ///< "face", "edge", "node"
  static const char* coordinates(Place place);  ///< "clon clat", "elon elat", "vlon vlat"

 private:
  Grid grid_;
  MeshContent content_;
};

}  // namespace thalweg
