// SPDX-License-Identifier: Apache-2.0
// Describes a file of fields by CF-1.11 and UGRID conventions.
#include "format/netcdf_metadata.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "format/netcdf_calls.hpp"
#include "format/ugrid.hpp"

namespace thalweg {

namespace {

/// The mesh variables that the places of the fields need.
UgridWriter mesh_of(const FileDescription& file) {
  std::array<bool, 3> used{};
  for (const auto& field : file.fields) used[static_cast<std::size_t>(field.place)] = true;
  std::optional<GridPart> part;
  if (!file.first_points.empty()) {
    part.emplace();
    std::copy_n(file.first_points.begin(), part->first.size(), part->first.begin());
    std::copy_n(file.sizes.begin(), part->size.size(), part->size.begin());
  }
  return {Grid::parse(file.grid), {used[0], used[1], used[2], false, false}, part};
}

/// netCDF has no dimensions of length 0: they would be unlimited.
void check_sizes(const FileDescription& file) {
  for (const auto& field : file.fields) {
    const auto place = static_cast<std::size_t>(field.place);
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

  std::size_t size_of(Place place) const {
    return static_cast<std::size_t>(file.sizes[static_cast<std::size_t>(place)]);
  }

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
    put_text(ncid, NC_GLOBAL, "Conventions", "CF-1.11 UGRID-1.0");
    put_text(ncid, NC_GLOBAL, "title", file.title);
    put_text(ncid, NC_GLOBAL, "source", file.source);
    put_text(ncid, NC_GLOBAL, "history", file.history);
    put_text(ncid, NC_GLOBAL, "references", "Thalweg, docs/mini-model.md");
    put_text(ncid, NC_GLOBAL, "institution", "Thalweg");
    if (!file.grid.empty()) put_text(ncid, NC_GLOBAL, "grid_name", file.grid);
    if (!file.grid_uuid.empty()) put_text(ncid, NC_GLOBAL, "uuidOfHGrid", file.grid_uuid);
    if (!file.first_points.empty()) part_attributes();
  }

  /// Which points of the grid the file holds, for every place with fields: cell_first (0-based) and
  /// cell_global_size, likewise edge and vertex.
  void part_attributes() const {
    for (const auto& field : file.fields) {
      const auto place = static_cast<std::size_t>(field.place);
      const std::string name = place_names[place];
      const auto global = file.global_sizes.empty() ? file.sizes[place] : file.global_sizes[place];
      put_count(name + "_first", file.first_points[place]);
      put_count(name + "_global_size", global);
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
  int level_dimension() const { return dimension("level", file.level_numbers.size()); }

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
    const int id = variable("level", NC_INT, std::array{level_dimension()});
    put_text(ncid, id, "standard_name", "model_level_number");
    put_text(ncid, id, "long_name", "layer");
    put_text(ncid, id, "units", "1");
    put_text(ncid, id, "axis", "Z");
    put_text(ncid, id, "positive", "down");
    return id;
  }

  int field(const FieldInfo& info) const {
    const int time = time_dimension();
    const int points =
        dimension(place_names[static_cast<std::size_t>(info.place)], size_of(info.place));
    const nc_type type = file.float64 ? NC_DOUBLE : NC_FLOAT;
    const char* name = info.name.c_str();
    if (!storage.fields) return -1;
    const int id = info.levels == 1
                       ? variable(name, type, std::array{time, points})
                       : variable(name, type, std::array{time, level_dimension(), points});
    if (storage.define_storage) storage.define_storage(ncid, id, info);
    for (const auto& [key, value] : field_attributes(file, info))
      put_text(ncid, id, key.c_str(), value);
    if (file.may_drop) missing_value(id, type);
    return id;
  }

  void missing_value(int id, nc_type type) const {
    const float single = NC_FILL_FLOAT;
    const double wide = NC_FILL_DOUBLE;
    const void* value = type == NC_DOUBLE ? static_cast<const void*>(&wide) : &single;
    check_netcdf(nc_put_att(ncid, id, "_FillValue", type, 1, value), "describe", file.path);
  }
};

}  // namespace

std::vector<Attribute> field_attributes(const FileDescription& description,
                                        const FieldInfo& field) {
  std::vector<Attribute> list;
  if (!field.standard_name.empty()) list.push_back({"standard_name", field.standard_name});
  list.push_back({"long_name", field.long_name});
  list.push_back({"units", field.units});
  if (description.grid.empty()) return list;
  if (mesh_of(description).is_whole()) {  // else the file has no topology to refer to
    list.push_back({"mesh", "mesh"});
    list.push_back({"location", UgridWriter::location(field.place)});
  }
  list.push_back({"coordinates", UgridWriter::coordinates(field.place)});
  list.push_back({"CDI_grid_type", "unstructured"});
  return list;
}

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
  if (storage.unlimited_time) return;
  check_netcdf(nc_put_var_double(ncid, variables.time, description.times_s.data()), "write",
               description.path);
}

void write_time(int ncid, const FileDescription& description, const NetcdfVariables& variables,
                int time_index) {
  const auto index = static_cast<std::size_t>(time_index);
  check_netcdf(nc_put_var1_double(ncid, variables.time, &index, &description.times_s[index]),
               "write", description.path);
}

std::string history_with_dropped(const FileDescription& description, std::span<const int> dropped) {
  auto history = description.history;
  for (const int index : dropped) {
    const auto time = static_cast<std::size_t>(index);
    history += fmt::format("\noutput {} at {:.15g} s dropped: buffers were full",
                           description.steps[time], description.times_s[time]);
  }
  return history;
}

void complete_netcdf(const FileDescription& description, std::span<const FieldBytes>,
                     const std::vector<int>& dropped) {
  if (!dropped.empty()) {
    NetcdfFile file(description.path + ".part");
    check_netcdf(nc_redef(file.id()), "describe", file.name());
    put_text(file.id(), NC_GLOBAL, "history", history_with_dropped(description, dropped));
    check_netcdf(nc_enddef(file.id()), "describe", file.name());
    file.close();
  }
  rename_to_final(description.path);
}

}  // namespace thalweg
