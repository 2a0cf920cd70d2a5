// SPDX-License-Identifier: Apache-2.0
// Mesh variables (UGRID) as arrays of a Zarr store.
#pragma once

#include <string>
#include <vector>

#include "format/netcdf/ugrid.hpp"
#include "format/zarr/metadata.hpp"

namespace thalweg {

/// "mesh", coordinates and connectivity, in the order of mesh_variables().
std::vector<ZarrArray> mesh_arrays(const Grid& grid, const MeshContent& content);
/// Fills them, after create_array, slice by slice along the curve in constant memory.
/// Throws Error(file_system).
void write_mesh_arrays(const std::string& store, const Grid& grid, const MeshContent& content);

}  // namespace thalweg
