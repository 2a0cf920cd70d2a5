// SPDX-License-Identifier: Apache-2.0
// Describes an icosahedral mesh in a netCDF file: UGRID topology, CF coordinates and bounds.
#pragma once

#include <cstdint>
#include <optional>

#include "field/mesh_variables.hpp"

namespace thalweg {

/// Dimensions "cell", "edge", "vertex" (and small ones) and the mesh variables of one open netCDF
/// file. Data variables refer to them by `mesh = "mesh"`, mesh_location and mesh_coordinates.
/// A file of a part of the grid gets the coordinates of its points and nothing else: connectivity
/// would point to vertices outside of it, and a topology without connectivity is none. Data
/// variables then have mesh_coordinates only.
class UgridWriter {
 public:
  UgridWriter(const Grid& grid, MeshContent content, std::optional<GridPart> part = {});
  void define(int ncid) const;  ///< in define mode; no fill, contiguous. Throws Error(file_system).
  void write(int ncid) const;   ///< in data mode; slice by slice along the curve, constant memory;
                                ///< a small mesh is kept in memory for the next file
  std::int64_t bytes() const;   ///< of all values
  bool is_whole() const { return whole_; }

 private:
  Grid grid_;
  MeshContent content_;
  GridPart part_;
  bool whole_;
};

}  // namespace thalweg
