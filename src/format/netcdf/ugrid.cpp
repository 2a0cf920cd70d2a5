// SPDX-License-Identifier: Apache-2.0
// Writes a mesh into an open netCDF file slice by slice, each slice a part of the curve.
#include "format/netcdf/ugrid.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "field/mesh_values.hpp"
#include "format/netcdf/netcdf_calls.hpp"

namespace thalweg {
namespace {

std::string path_of(int ncid) {
  std::size_t size = 0;
  nc_inq_path(ncid, &size, nullptr);
  std::string path(size + 1, '\0');
  nc_inq_path(ncid, nullptr, path.data());
  path.resize(size);
  return path;
}

bool is_used(Place place, const MeshContent& content) {
  return place == Place::cell ? content.cell : place == Place::edge ? content.edge : content.vertex;
}

/// The variables that a file has, in their order.
std::vector<const MeshVariable*> wanted(const MeshContent& content, bool whole) {
  std::vector<const MeshVariable*> list;
  for (const MeshVariable& variable : mesh_variables()) {
    const bool has_place = whole ? content.cell || content.edge || content.vertex
                                 : variable.numbers != nullptr && is_used(variable.place, content);
    if (has_place && variable.wanted(content)) list.push_back(&variable);
  }
  return list;
}

/// The dimension's id; made if it is not there.
int dimension(int ncid, const std::string& path, const char* name, std::int64_t size) {
  int id = -1;
  if (nc_inq_dimid(ncid, name, &id) == NC_NOERR) return id;
  check_netcdf(nc_def_dim(ncid, name, size, &id), "define a dimension in", path);
  return id;
}

void define_topology(int ncid, const std::string& path, const MeshContent& content) {
  int id = -1;
  check_netcdf(nc_def_var(ncid, "mesh", NC_INT, 0, nullptr, &id), "define the mesh in", path);
  const int topology_dimension = 2;
  check_netcdf(nc_put_att_int(ncid, id, "topology_dimension", NC_INT, 1, &topology_dimension),
               "define the mesh in", path);
  for (const TextAttribute& attribute : topology_attributes(content))
    put_text(ncid, id, attribute.name, attribute.value);
}

nc_type type_of(const MeshVariable& variable, const Grid& grid) {
  const bool wide = grid.edges() > std::numeric_limits<std::int32_t>::max();
  return variable.numbers != nullptr ? NC_DOUBLE : wide ? NC_INT64 : NC_INT;
}

void define_variable(int ncid, const std::string& path, const Grid& grid, const GridPart& part,
                     const MeshVariable& variable, bool has_bounds) {
  int dimensions[2] = {
      dimension(ncid, path, place_names[variable.place], part.size[variable.place]),
      variable.width == 1
          ? -1
          : dimension(ncid, path, small_dimensions[variable.width], variable.width)};
  const nc_type type = type_of(variable, grid);
  int id = -1;
  check_netcdf(nc_def_var(ncid, variable.name, type, variable.width == 1 ? 1 : 2, dimensions, &id),
               "define the mesh in", path);
  check_netcdf(nc_def_var_fill(ncid, id, NC_NOFILL, nullptr), "define the mesh in", path);
  for (const TextAttribute& attribute : variable.attributes)
    put_text(ncid, id, attribute.name, attribute.value);
  if (has_bounds) put_text(ncid, id, "bounds", std::string(variable.name) + "_bnds");
  if (variable.indices != nullptr) {
    const int start_index = 0;
    check_netcdf(nc_put_att_int(ncid, id, "start_index", NC_INT, 1, &start_index),
                 "define the mesh in", path);
  }
}

/// `first` = global index of the file's first point.
void write_slice(int ncid, const std::string& path, const MeshSlice& slice, std::int64_t first) {
  int id = -1;
  check_netcdf(nc_inq_varid(ncid, slice.variable->name, &id), "find the mesh in", path);
  const std::size_t start[2] = {static_cast<std::size_t>(slice.first - first), 0};
  const std::size_t count[2] = {static_cast<std::size_t>(slice.points),
                                static_cast<std::size_t>(slice.variable->width)};
  check_netcdf(slice.variable->numbers != nullptr
                   ? nc_put_vara_double(ncid, id, start, count, slice.numbers.data())
                   : nc_put_vara_longlong(ncid, id, start, count, slice.indices.data()),
               "write the mesh to", path);
}

}  // namespace

UgridWriter::UgridWriter(const Grid& grid, MeshContent content, std::optional<GridPart> part)
    : grid_(grid),
      content_(content),
      part_{{0, 0, 0}, {grid.cells(), grid.edges(), grid.vertices()}},
      whole_(!part || (part->first == part_.first && part->size == part_.size)) {
  if (part) part_ = *part;
}

void UgridWriter::define(int ncid) const {
  const auto list = wanted(content_, whole_);
  if (list.empty()) return;
  const std::string path = path_of(ncid);
  if (whole_) define_topology(ncid, path, content_);
  for (const MeshVariable* variable : list) {
    const std::string bounds = std::string(variable->name) + "_bnds";
    const bool has_bounds = std::any_of(
        list.begin(), list.end(), [&](const MeshVariable* other) { return other->name == bounds; });
    define_variable(ncid, path, grid_, part_, *variable, has_bounds);
  }
}

std::int64_t UgridWriter::bytes() const {
  std::int64_t all = 0;
  for (const MeshVariable* variable : wanted(content_, whole_)) {
    const std::int64_t value_bytes = type_of(*variable, grid_) == NC_INT ? 4 : 8;
    all += variable->width * value_bytes * part_.size[variable->place];
  }
  return all;
}

void UgridWriter::write(int ncid) const {
  const auto list = wanted(content_, whole_);
  if (list.empty()) return;
  const std::string path = path_of(ncid);
  if (whole_) {
    const int topology = 0;  // UGRID: the value of the mesh variable has no meaning
    int id = -1;
    check_netcdf(nc_inq_varid(ncid, "mesh", &id), "find the mesh in", path);
    check_netcdf(nc_put_var_int(ncid, id, &topology), "write the mesh to", path);
  }
  const int halo_depth = halo_depth_of(content_);
  const auto write = [&](const MeshSlice& slice) {
    write_slice(ncid, path, slice, part_.first[slice.variable->place]);
  };
  if (!content_.full) {  // grid files are written once
    if (const auto kept = kept_mesh_values(grid_, part_, list, halo_depth)) {
      for (const MeshSlice& slice : *kept) write(slice);
      return;
    }
  }
  compute_mesh_values(grid_, part_, list, halo_depth, write);
}

}  // namespace thalweg
