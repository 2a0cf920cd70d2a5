// SPDX-License-Identifier: Apache-2.0
// Describes a file of fields by CF-1.11 and UGRID conventions.
#include "format/netcdf/netcdf_metadata.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "format/netcdf/netcdf_calls.hpp"
#include "format/netcdf/ugrid.hpp"

namespace thalweg {

namespace {

/// The mesh variables that the places of the fields need.
UgridWriter mesh_of(const FileDescription& file) {
  std::optional<GridPart> part;
  if (file.global_sizes) part = GridPart{file.first_points, file.sizes};
  return {Grid::parse(file.grid), mesh_content(file), part};
}

nc_type netcdf_type(ValueType type) {
  constexpr PerType<nc_type> types{NC_DOUBLE, NC_FLOAT, NC_INT, NC_INT64};
  return types[type];
}

/// netCDF has no dimensions of length 0: they would be unlimited.
void check_sizes(const FileDescription& file) {
  for (const auto& field : file.fields) {
    const Place place = field.place;
    if (file.sizes[place] > 0) continue;
    throw Error(Blame::user, fmt::format("'{}' would hold no points of place '{}'; let fewer ranks "
                                         "write files of their own",
                                         file.path, place_names[place]));
  }
}

/// One file in define mode.
struct Definition {
  int ncid;
  const FileDescription& file;
  const NetcdfStorage& storage;

  std::size_t size_of(Place place) const { return file.sizes[place]; }

  int dimension(const char* name, std::size_t size) const {
    int id = -1;
    if (nc_inq_dimid(ncid, name, &id) == NC_NOERR) return id;  // made by the mesh description
    check_netcdf(nc_def_dim(ncid, name, size, &id), "define a dimension in", file.path);
    return id;
  }

  int variable(const char* name, nc_type type, std::span<const int> dimensions) const {
    int id = -1;
    check_netcdf(
        nc_def_var(ncid, name, type, static_cast<int>(dimensions.size()), dimensions.data(), &id),
        "define a variable in", file.path);
    return id;
  }

  void global_attributes() const {
    for (const auto& [name, text] : thalweg::global_attributes(file, file.history)) {
      put_text(ncid, NC_GLOBAL, name.c_str(), text);
    }
    if (file.global_sizes) part_attributes();
  }

  /// Which points of the grid the file holds, for every place with fields: cell_first (0-based) and
  /// cell_global_size, likewise edge and vertex.
  void part_attributes() const {
    for (const auto& field : file.fields) {
      const Place place = field.place;
      const std::string name = place_names[place];
      put_count(name + "_first", file.first_points[place]);
      put_count(name + "_global_size", (*file.global_sizes)[place]);
    }
  }

  /// As NC_INT, or as NC_DOUBLE where that is too small: CDF-2 has no larger integer.
  void put_count(const std::string& name, std::int64_t count) const {
    const bool fits = count <= std::numeric_limits<int>::max();
    const long long value = count;
    check_netcdf(
        nc_put_att_longlong(ncid, NC_GLOBAL, name.c_str(), fits ? NC_INT : NC_DOUBLE, 1, &value),
        "describe", file.path);
  }

  int time_dimension() const {
    return dimension("time", storage.unlimited_time ? NC_UNLIMITED : file.times_s.size());
  }
  int level_dimension() const {
    return dimension(level_name(file).c_str(), file.level_numbers.size());
  }

  int time() const {
    const int id = variable("time", NC_DOUBLE, std::array{time_dimension()});
    auto since = file.start_date;  // 2000-01-01T00:00:00Z -> 2000-01-01 00:00:00
    std::replace(since.begin(), since.end(), 'T', ' ');
    if (!since.empty() && since.back() == 'Z') since.pop_back();
    put_text(ncid, id, "standard_name", "time");
    put_text(ncid, id, "long_name", "valid time");
    put_text(ncid, id, "units", "seconds since " + since);
    put_text(ncid, id, "calendar", "proleptic_gregorian");
    put_text(ncid, id, "units_metadata", "leap_seconds: none");
    put_text(ncid, id, "axis", "T");
    return id;
  }

  int level() const {
    const int id = variable(level_name(file).c_str(), NC_INT, std::array{level_dimension()});
    for (const auto& [key, value] : level_attributes(file)) put_text(ncid, id, key.c_str(), value);
    return id;
  }

  void scalars() const {
    for (const auto& scalar : scalar_coordinates(file)) {
      const int id = variable(scalar.name.c_str(), scalar.is_number ? NC_INT : NC_DOUBLE, {});
      for (const auto& [key, value] : scalar.attributes) put_text(ncid, id, key.c_str(), value);
    }
  }

  int field(const FieldInfo& info) const {
    const int time = time_dimension();
    const int points = dimension(place_names[info.place], size_of(info.place));
    const nc_type type = netcdf_type(file.type_of(info));
    const char* name = info.name.c_str();
    if (!storage.fields) return -1;
    const int id = info.levels == 1
                       ? variable(name, type, std::array{time, points})
                       : variable(name, type, std::array{time, level_dimension(), points});
    if (storage.define_storage) storage.define_storage(ncid, id, info);
    for (const auto& [key, value] : field_attributes(file, info))
      put_text(ncid, id, key.c_str(), value);
    return id;
  }
};

}  // namespace

NetcdfVariables define_netcdf(int ncid, const FileDescription& description,
                              const NetcdfStorage& storage) {
  check_sizes(description);
  // Nothing is filled: a byte reaches the disk once.
  check_netcdf(nc_set_fill(ncid, NC_NOFILL, nullptr), "prepare", description.path);
  const bool has_mesh = !description.grid.empty();
  const Definition definition{ncid, description, storage};
  definition.global_attributes();
  NetcdfVariables variables;
  const auto define_fields = [&] {
    for (const auto& field : description.fields) {
      variables.fields.push_back(definition.field(field));
    }
  };
  if (storage.fields_first) define_fields();
  if (has_mesh) mesh_of(description).define(ncid);
  variables.time = definition.time();
  const bool layered = std::any_of(description.fields.begin(), description.fields.end(),
                                   [](const FieldInfo& field) { return field.levels > 1; });
  if (layered) variables.level = definition.level();
  definition.scalars();
  if (!storage.fields_first) define_fields();
  return variables;
}

void write_coordinates(int ncid, const FileDescription& description,
                       const NetcdfVariables& variables, const NetcdfStorage& storage) {
  if (!description.grid.empty()) mesh_of(description).write(ncid);
  if (variables.level >= 0) {
    check_netcdf(nc_put_var_int(ncid, variables.level, description.level_numbers.data()), "write",
                 description.path);
  }
  for (const auto& scalar : scalar_coordinates(description)) {
    int id = -1;
    check_netcdf(nc_inq_varid(ncid, scalar.name.c_str(), &id), "find a variable in",
                 description.path);
    check_netcdf(nc_put_var_double(ncid, id, &scalar.value), "write", description.path);
  }
  if (storage.unlimited_time) return;
  check_netcdf(nc_put_var_double(ncid, variables.time, description.times_s.data()), "write",
               description.path);
}

void complete_netcdf(const FileDescription& description) { rename_to_final(description.path); }

}  // namespace thalweg
