// SPDX-License-Identifier: Apache-2.0
// Everything that describes a file of fields in netCDF-4, CDF-5 or classic: dimensions, attributes,
// time, level, mesh and the variables of the fields. Values of fields are not written here.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "format/fixed_layout.hpp"

namespace thalweg {

/// How the variables of the fields are stored. As it stands: contiguous, time axis of fixed length.
struct NetcdfStorage {
  bool unlimited_time = false;  ///< then times are written one by one, with write_time()
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
/// In data mode: one time of an unlimited axis.
void write_time(int ncid, const FileDescription& description, const NetcdfVariables& variables,
                int time_index);

/// `description.path + ".part"`, described and without values. `kind`: NC_64BIT_DATA or
/// NC_64BIT_OFFSET.
void describe_classic(const FileDescription& description, int kind);
/// The same as netCDF-4, contiguous: every variable has its place in the file.
void describe_netcdf4(const FileDescription& description);

struct Attribute {
  std::string name, value;
};
/// Text attributes of the variable of a field.
std::vector<Attribute> field_attributes(const FileDescription& description, const FieldInfo& field);

/// The file's history with one line for each dropped time.
std::string history_with_dropped(const FileDescription& description, std::span<const int> dropped);

/// Head of a netCDF file of any kind: names the dropped times in the history and gives the file its
/// final name.
void complete_netcdf(const FileDescription& description, std::span<const FieldBytes> layout,
                     const std::vector<int>& dropped);

}  // namespace thalweg
