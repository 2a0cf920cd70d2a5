// SPDX-License-Identifier: Apache-2.0
// One netCDF-4 file that shows the files of several writers as one, without a copy of their values.
#pragma once

#include <span>

#include "format/container.hpp"

namespace thalweg {

/// Makes whole.path: all metadata, coordinates and the mesh in full; the fields are HDF5 virtual
/// datasets over the files of `parts` (netCDF-4, complete under their final names, together all
/// points of `whole`, beside it or below its directory). Points of a part that is missing later
/// read as the fill value. Throws Error(file_system); Error(bug) if the parts do not fit.
void write_virtual_dataset(const FileDescription& whole, std::span<const FileDescription> parts);

}  // namespace thalweg
