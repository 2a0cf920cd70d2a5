// SPDX-License-Identifier: Apache-2.0
// Everything that describes a file of fields in netCDF-4, CDF-5 or classic: dimensions, attributes,
// time, level, mesh and the variables of the fields. Values of fields are not written here.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "format/attributes.hpp"
#include "format/fixed_layout.hpp"

namespace thalweg {

/// How the variables of the fields are stored. As it stands: contiguous, time axis of fixed length.
struct NetcdfStorage {
  bool unlimited_time = false;  ///< then times are written one by one
  bool fields_first = false;    ///< before coordinates: classic files align their first variable
  /// Called in define mode for the variable of every field, e.g. to set chunks and filters.
  std::function<void(int ncid, int variable, const FieldInfo&)> define_storage;
  bool fields = true;  ///< false: their dimensions only; another library adds the fields
};

/// netCDF ids of the variables.
struct NetcdfVariables {
  int time = -1, level = -1;  ///< level = -1: no field has levels
  std::vector<int> fields;    ///< [field]
};

/// In define mode; sets no-fill mode. Throws Error(file_system).
NetcdfVariables define_netcdf(int ncid, const FileDescription& description,
                              const NetcdfStorage& storage = {});
/// In data mode: mesh, levels and, unless the time axis is unlimited, all times.
void write_coordinates(int ncid, const FileDescription& description,
                       const NetcdfVariables& variables, const NetcdfStorage& storage = {});

/// `description.path + ".part"`, described and without values. `kind`: NC_64BIT_DATA or
/// NC_64BIT_OFFSET.
void describe_classic(const FileDescription& description, int kind);
/// The same as netCDF-4, contiguous: every variable has its place in the file.
void describe_netcdf4(const FileDescription& description);

/// The final name.
void complete_netcdf(const FileDescription& description);
/// Of files of fixed layout of either kind.
const FixedFormat& cdf5_format();
const FixedFormat& netcdf4_format();

}  // namespace thalweg
