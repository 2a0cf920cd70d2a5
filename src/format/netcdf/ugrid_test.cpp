// SPDX-License-Identifier: Apache-2.0
// Facts about meshes in files, read back with netCDF.
#include "format/netcdf/ugrid.hpp"

#include <doctest/doctest.h>
#include <netcdf.h>

#include <filesystem>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include "format/netcdf/netcdf_calls.hpp"
#include "own_folder.hpp"
#include "thalweg/decomposition.hpp"

using namespace thalweg;

namespace {

struct File {
  int ncid = -1;
  explicit File(const std::string& path) {
    REQUIRE(nc_open(path.c_str(), NC_NOWRITE, &ncid) == NC_NOERR);
  }
  ~File() { nc_close(ncid); }
  bool has(const char* name) const {
    int id = -1;
    return nc_inq_varid(ncid, name, &id) == NC_NOERR;
  }
  std::vector<double> read(const char* name) const {
    int id = -1, dimensions = 0, dimension[2];
    REQUIRE(nc_inq_varid(ncid, name, &id) == NC_NOERR);
    nc_inq_varndims(ncid, id, &dimensions);
    nc_inq_vardimid(ncid, id, dimension);
    std::size_t size = 1;
    for (int i = 0; i < dimensions; ++i) {
      std::size_t length = 0;
      nc_inq_dimlen(ncid, dimension[i], &length);
      size *= length;
    }
    std::vector<double> values(size);
    REQUIRE(nc_get_var_double(ncid, id, values.data()) == NC_NOERR);
    return values;
  }
  std::string text(const char* variable, const char* name) const {
    int id = NC_GLOBAL;
    if (*variable != '\0') REQUIRE(nc_inq_varid(ncid, variable, &id) == NC_NOERR);
    std::size_t size = 0;
    if (nc_inq_attlen(ncid, id, name, &size) != NC_NOERR) return "";
    std::string value(size, '\0');
    nc_get_att_text(ncid, id, name, value.data());
    return value;
  }
};

template <class Rows>
std::vector<double> flat(const Rows& rows) {
  std::vector<double> values;
  for (const auto& row : rows) values.insert(values.end(), row.begin(), row.end());
  return values;
}

constexpr double degree = 180.0 / std::numbers::pi;

}  // namespace

TEST_CASE("a_grid_file_holds_the_whole_mesh_bit_for_bit") {
  const OwnFolder folder;
  for (const char* name : {"R1B0", "R3B1", "R2B5"}) {  // the last one takes two slices
    CAPTURE(name);
    const Grid grid = Grid::parse(name);
    const Mesh m = build_mesh(Decomposition(grid, 1, "curve"), 0, 1);
    write_grid_file(grid, folder.file("grid.nc"));
    CHECK_FALSE(std::filesystem::exists(folder.file("grid.nc.part")));
    const File file(folder.file("grid.nc"));
    CHECK(file.read("face_nodes") == flat(m.cell_vertices));
    CHECK(file.read("face_edges") == flat(m.cell_edges));
    CHECK(file.read("face_faces") == flat(m.cell_cells));
    CHECK(file.read("edge_nodes") == flat(m.edge_vertices));
    CHECK(file.read("edge_faces") == flat(m.edge_cells));
    CHECK(file.read("cell_area") == m.cell_area_m2);
    CHECK(file.read("dual_area") == m.vertex_area_m2);
    CHECK(file.read("edge_length") == m.edge_length_m);
    CHECK(file.read("dual_edge_length") == m.dual_edge_length_m);
    std::vector<double> longitude, latitude;
    for (const Vec3& p : m.edge_centre) longitude.push_back(longitude_rad(p) * degree);
    for (const Vec3& p : m.vertex_position) latitude.push_back(latitude_rad(p) * degree);
    CHECK(file.read("elon") == longitude);
    CHECK(file.read("vlat") == latitude);
  }
}

TEST_CASE("bounds_are_the_corners_of_triangles_kites_and_hexagons") {
  const OwnFolder folder;
  write_grid_file(Grid::parse("R2B1"), folder.file("grid.nc"));
  const File file(folder.file("grid.nc"));
  const auto nodes = file.read("face_nodes"), edge_nodes = file.read("edge_nodes");
  const auto edge_faces = file.read("edge_faces"), vlat = file.read("vlat"),
             clat = file.read("clat");
  const auto cell = file.read("clat_bnds"), edge = file.read("elat_bnds"),
             vertex = file.read("vlat_bnds");
  for (std::size_t i = 0; i < nodes.size(); ++i) REQUIRE(cell[i] == vlat[nodes[i]]);
  for (std::size_t e = 0; 2 * e < edge_nodes.size(); ++e) {
    REQUIRE(edge[4 * e] == vlat[edge_nodes[2 * e]]);
    REQUIRE(edge[4 * e + 1] == clat[edge_faces[2 * e + 1]]);
    REQUIRE(edge[4 * e + 3] == clat[edge_faces[2 * e]]);
  }
  int pentagons = 0;
  for (std::size_t v = 0; v < vlat.size(); ++v) pentagons += vertex[6 * v + 5] == vertex[6 * v + 4];
  CHECK(pentagons >= 12);  // a hexagon with two corners of one latitude counts as well
}

TEST_CASE("files_carry_only_the_places_they_need_and_always_the_nodes") {
  const OwnFolder folder;
  const auto write = [&](MeshContent content) {
    int ncid = -1;
    REQUIRE(nc_create(folder.file("part.nc").c_str(), NC_NETCDF4 | NC_CLOBBER, &ncid) == NC_NOERR);
    const UgridWriter mesh(Grid::parse("R2B1"), content);
    mesh.define(ncid);
    nc_enddef(ncid);
    mesh.write(ncid);
    nc_close(ncid);
  };
  write({.cell = true});
  {
    const File file(folder.file("part.nc"));
    CHECK(file.has("clon"));
    CHECK(file.has("vlat"));
    CHECK(file.has("face_nodes"));
    CHECK_FALSE(file.has("elon"));
    CHECK_FALSE(file.has("clon_bnds"));
    CHECK(file.text("clon", "bounds").empty());
    CHECK(file.text("mesh", "edge_node_connectivity").empty());
  }
  write({.cell = false, .edge = true, .vertex = false, .bounds = true});
  {
    const File file(folder.file("part.nc"));
    CHECK(file.has("elon_bnds"));
    CHECK(file.has("edge_nodes"));
    CHECK(file.has("face_nodes"));
    CHECK_FALSE(file.has("clon"));
    CHECK(file.text("elon", "bounds") == "elon_bnds");
    CHECK(file.text("mesh", "edge_node_connectivity") == "edge_nodes");
  }
  write({.cell = false, .edge = false, .vertex = false});
  CHECK_FALSE(File(folder.file("part.nc")).has("mesh"));
}

TEST_CASE("every_variable_the_topology_names_is_there") {
  const OwnFolder folder;
  write_grid_file(Grid::parse("R1B1"), folder.file("grid.nc"));
  const File file(folder.file("grid.nc"));
  CHECK(file.text("mesh", "cf_role") == "mesh_topology");
  CHECK(file.text("", "Conventions") == "CF-1.11 UGRID-1.0");
  for (const char* role :
       {"face_node_connectivity", "edge_node_connectivity", "face_edge_connectivity",
        "face_face_connectivity", "edge_face_connectivity"}) {
    const std::string name = file.text("mesh", role);
    REQUIRE(file.has(name.c_str()));
    CHECK(file.text(name.c_str(), "cf_role") == role);
  }
  for (const Place place : {Place::cell, Place::edge, Place::vertex}) {
    const std::string both = mesh_coordinates(place);
    const auto space = both.find(' ');
    CHECK(file.text("mesh", (std::string(mesh_location(place)) + "_coordinates").c_str()) == both);
    CHECK(file.text(both.substr(0, space).c_str(), "units") == "degrees_east");
    CHECK(file.text(both.substr(space + 1).c_str(), "units") == "degrees_north");
  }
}

TEST_CASE("a_grid_file_that_cannot_be_made_is_the_users_error") {
  const OwnFolder folder;
  for (const std::string& path : {folder.file("missing/grid.nc"), folder.path.string()}) {
    try {
      write_grid_file(Grid::parse("R1B0"), path);
      FAIL("was written");
    } catch (const Error& error) {
      CHECK(error.blame() == Blame::user);
      CHECK(std::string(error.what()).find("'" + path + "'") != std::string::npos);
    }
  }
  CHECK(std::filesystem::is_empty(folder.path));
}
