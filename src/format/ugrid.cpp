// SPDX-License-Identifier: Apache-2.0
// Writes a mesh into an open netCDF file slice by slice, each slice a part of the curve.
#include "format/ugrid.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "format/mesh_variables.hpp"
#include "format/netcdf_calls.hpp"
#include "thalweg/decomposition.hpp"

namespace thalweg {
namespace {

constexpr std::int64_t slice_cells = 65'536;  // about 60 MB of mesh while a slice is written

std::string path_of(int ncid) {
  std::size_t size = 0;
  nc_inq_path(ncid, &size, nullptr);
  std::string path(size + 1, '\0');
  nc_inq_path(ncid, nullptr, path.data());
  path.resize(size);
  return path;
}

bool is_wanted(const MeshVariable& variable, const MeshContent& content) {
  return (content.cell || content.edge || content.vertex) && variable.wanted(content);
}

/// The dimension's id; made if it is not there.
int dimension(int ncid, const std::string& path, const char* name, std::int64_t size) {
  int id = -1;
  if (nc_inq_dimid(ncid, name, &id) == NC_NOERR) return id;
  check_netcdf(nc_def_dim(ncid, name, static_cast<std::size_t>(size), &id), "define a dimension in",
               path);
  return id;
}

/// The variable that ties the others together (UGRID 1.0, "mesh topology").
void define_topology(int ncid, const std::string& path, const MeshContent& content) {
  int id = -1;
  check_netcdf(nc_def_var(ncid, "mesh", NC_INT, 0, nullptr, &id), "define the mesh in", path);
  const int topology_dimension = 2;
  put_text(ncid, id, "cf_role", "mesh_topology");
  put_text(ncid, id, "long_name", "icosahedral grid of triangles");
  put_text(ncid, id, "cdi", "ignore");  // not a field: see the connectivity variables
  check_netcdf(nc_put_att_int(ncid, id, "topology_dimension", NC_INT, 1, &topology_dimension),
               "define the mesh in", path);
  put_text(ncid, id, "node_coordinates", "vlon vlat");
  put_text(ncid, id, "face_node_connectivity", "face_nodes");
  put_text(ncid, id, "face_dimension", "cell");
  if (content.cell) put_text(ncid, id, "face_coordinates", "clon clat");
  if (content.edge) {
    put_text(ncid, id, "edge_node_connectivity", "edge_nodes");
    put_text(ncid, id, "edge_dimension", "edge");
    put_text(ncid, id, "edge_coordinates", "elon elat");
  }
  if (content.full) {
    put_text(ncid, id, "face_edge_connectivity", "face_edges");
    put_text(ncid, id, "face_face_connectivity", "face_faces");
    put_text(ncid, id, "edge_face_connectivity", "edge_faces");
  }
}

void define_variable(int ncid, const std::string& path, const Grid& grid,
                     const MeshVariable& variable, bool has_bounds) {
  constexpr const char* small[] = {"", "", "two", "three", "four", "five", "six"};
  int dimensions[2] = {
      dimension(ncid, path, place_names[static_cast<std::size_t>(variable.place)],
                grid.size(variable.place)),
      variable.width == 1 ? -1 : dimension(ncid, path, small[variable.width], variable.width)};
  const bool wide = grid.edges() > std::numeric_limits<std::int32_t>::max();
  const nc_type type = variable.numbers != nullptr ? NC_DOUBLE : wide ? NC_INT64 : NC_INT;
  int id = -1;
  check_netcdf(nc_def_var(ncid, variable.name, type, variable.width == 1 ? 1 : 2, dimensions, &id),
               "define the mesh in", path);
  check_netcdf(nc_def_var_fill(ncid, id, NC_NOFILL, nullptr), "define the mesh in", path);
  check_netcdf(nc_def_var_chunking(ncid, id, NC_CONTIGUOUS, nullptr), "define the mesh in", path);
  for (const TextAttribute& attribute : variable.attributes)
    put_text(ncid, id, attribute.name, attribute.value);
  if (has_bounds) put_text(ncid, id, "bounds", std::string(variable.name) + "_bnds");
  if (variable.indices != nullptr) {
    const int start_index = 0;
    check_netcdf(nc_put_att_int(ncid, id, "start_index", NC_INT, 1, &start_index),
                 "define the mesh in", path);
  }
}

/// Writes the points that the slice owns: consecutive global indices, because the grid's order of
/// edges and vertices follows the cells.
void write_slice(int ncid, const std::string& path, const MeshVariable& variable,
                 const Mesh& mesh) {
  const PlacePart& part = mesh.part(variable.place);
  if (part.owned == 0) return;
  int id = -1;
  check_netcdf(nc_inq_varid(ncid, variable.name, &id), "find the mesh in", path);
  const std::size_t start[2] = {static_cast<std::size_t>(part.global[0]), 0};
  const std::size_t count[2] = {static_cast<std::size_t>(part.owned),
                                static_cast<std::size_t>(variable.width)};
  if (variable.numbers != nullptr) {
    std::vector<double> values(count[0] * count[1]);
    for (int point = 0; point < part.owned; ++point)
      variable.numbers(mesh, point, &values[static_cast<std::size_t>(point) * count[1]]);
    check_netcdf(nc_put_vara_double(ncid, id, start, count, values.data()), "write the mesh to",
                 path);
  } else {
    std::vector<std::int64_t> global(count[0] * count[1]);
    for (int point = 0; point < part.owned; ++point)
      variable.indices(mesh, point, &global[static_cast<std::size_t>(point) * count[1]]);
    const std::vector<long long> values(global.begin(), global.end());
    check_netcdf(nc_put_vara_longlong(ncid, id, start, count, values.data()), "write the mesh to",
                 path);
  }
}

}  // namespace

void UgridWriter::define(int ncid) const {
  if (!content_.cell && !content_.edge && !content_.vertex) return;
  const std::string path = path_of(ncid);
  const auto list = mesh_variables();
  define_topology(ncid, path, content_);
  for (const MeshVariable& variable : list) {
    if (!is_wanted(variable, content_)) continue;
    const std::string bounds = std::string(variable.name) + "_bnds";
    const bool has_bounds = std::any_of(list.begin(), list.end(), [&](const MeshVariable& other) {
      return other.name == bounds && is_wanted(other, content_);
    });
    define_variable(ncid, path, grid_, variable, has_bounds);
  }
}

void UgridWriter::write(int ncid) const {
  if (!content_.cell && !content_.edge && !content_.vertex) return;
  const std::string path = path_of(ncid);
  const int topology = 0;  // UGRID: the value of the mesh variable has no meaning
  int id = -1;
  check_netcdf(nc_inq_varid(ncid, "mesh", &id), "find the mesh in", path);
  check_netcdf(nc_put_var_int(ncid, id, &topology), "write the mesh to", path);
  const auto slices = static_cast<int>((grid_.cells() + slice_cells - 1) / slice_cells);
  const Decomposition along_curve(grid_, slices, "curve");
  // Hexagons need the cells around every vertex, the rest what touches the slice's own cells.
  const int halo_depth = content_.bounds || content_.full ? 1 : 0;
  for (int slice = 0; slice < slices; ++slice) {
    const Mesh mesh = build_mesh(along_curve, slice, halo_depth);
    for (const MeshVariable& variable : mesh_variables())
      if (is_wanted(variable, content_)) write_slice(ncid, path, variable, mesh);
  }
}

const char* UgridWriter::location(Place place) {
  return place == Place::cell ? "face" : place == Place::edge ? "edge" : "node";
}

const char* UgridWriter::coordinates(Place place) {
  return place == Place::cell ? "clon clat" : place == Place::edge ? "elon elat" : "vlon vlat";
}

}  // namespace thalweg
