// SPDX-License-Identifier: Apache-2.0
// Coordinates, bounds, connectivity and measures of a mesh, one entry each.
#include "field/mesh_variables.hpp"

#include <algorithm>
#include <numbers>
#include <string>

namespace thalweg {
namespace {

constexpr double degrees_per_radian = 180.0 / std::numbers::pi;

double longitude(const Vec3& point) { return longitude_rad(point) * degrees_per_radian; }
double latitude(const Vec3& point) { return latitude_rad(point) * degrees_per_radian; }

// Corners of what a place stands for, counter-clockwise: triangle, kite of an edge, hexagon. A
// pentagon repeats its last corner.
const Vec3& cell_corner(const Mesh& m, int cell, int j) {
  return m.vertex_position[m.cell_vertices[cell][j]];
}
const Vec3& edge_corner(const Mesh& m, int edge, int j) {
  if (j % 2 == 0) return m.vertex_position[m.edge_vertices[edge][j / 2]];
  return m.cell_centre[m.edge_cells[edge][j == 1 ? 1 : 0]];
}
const Vec3& vertex_corner(const Mesh& m, int vertex, int j) {
  return m.cell_centre[m.vertex_cells[vertex][std::min(j, m.vertex_degree[vertex] - 1)]];
}

template <auto corner, auto coordinate, int width>
void bounds(const Mesh& m, int point, double* out) {
  for (int j = 0; j < width; ++j) out[j] = coordinate(corner(m, point, j));
}
template <auto points, auto coordinate>
void centre(const Mesh& m, int point, double* out) {
  *out = coordinate((m.*points)[point]);
}
template <auto values>
void value(const Mesh& m, int point, double* out) {
  *out = (m.*values)[point];
}
/// Local connectivity to global indices of the place it points to.
template <auto table, auto target>
void connect(const Mesh& m, int point, std::int64_t* out) {
  for (const int local : (m.*table)[point]) *out++ = (m.*target).global[local];
}

bool always(const MeshContent&) { return true; }
bool cells(const MeshContent& c) { return c.cell; }
bool edges(const MeshContent& c) { return c.edge; }
bool cell_bounds(const MeshContent& c) { return c.cell && c.bounds; }
bool edge_bounds(const MeshContent& c) { return c.edge && c.bounds; }
bool vertex_bounds(const MeshContent& c) { return c.vertex && c.bounds; }
bool full(const MeshContent& c) { return c.full; }

std::vector<TextAttribute> coordinate_attributes(bool east, const char* long_name) {
  return {{"standard_name", east ? "longitude" : "latitude"},
          {"long_name", long_name},
          {"units", east ? "degrees_east" : "degrees_north"}};
}
/// CDO takes every table of indices for a field, and then refuses to interpolate it: cdi = "ignore"
/// is its own attribute against that.
std::vector<TextAttribute> role(const char* name, const char* long_name) {
  return {{"cf_role", name}, {"long_name", long_name}, {"cdi", "ignore"}};
}
std::vector<TextAttribute> measure(const char* standard_name, const char* long_name,
                                   const char* units, Place place) {
  std::vector<TextAttribute> attributes{{"long_name", long_name},
                                        {"units", units},
                                        {"mesh", "mesh"},
                                        {"location", mesh_location(place)},
                                        {"coordinates", mesh_coordinates(place)},
                                        {"CDI_grid_type", "unstructured"}};
  if (*standard_name != '\0') attributes.push_back({"standard_name", standard_name});
  return attributes;
}

std::vector<MeshVariable> make_list() {
  using enum Place;
  return {
      {"vlon", vertex, 1, always, coordinate_attributes(true, "longitude of hexagon centres"),
       centre<&Mesh::vertex_position, longitude>, nullptr},
      {"vlat", vertex, 1, always, coordinate_attributes(false, "latitude of hexagon centres"),
       centre<&Mesh::vertex_position, latitude>, nullptr},
      {"clon", cell, 1, cells, coordinate_attributes(true, "longitude of triangle circumcentres"),
       centre<&Mesh::cell_centre, longitude>, nullptr},
      {"clat", cell, 1, cells, coordinate_attributes(false, "latitude of triangle circumcentres"),
       centre<&Mesh::cell_centre, latitude>, nullptr},
      {"elon", edge, 1, edges, coordinate_attributes(true, "longitude of edge midpoints"),
       centre<&Mesh::edge_centre, longitude>, nullptr},
      {"elat", edge, 1, edges, coordinate_attributes(false, "latitude of edge midpoints"),
       centre<&Mesh::edge_centre, latitude>, nullptr},
      {"clon_bnds", cell, 3, cell_bounds, {}, bounds<cell_corner, longitude, 3>, nullptr},
      {"clat_bnds", cell, 3, cell_bounds, {}, bounds<cell_corner, latitude, 3>, nullptr},
      {"vlon_bnds", vertex, 6, vertex_bounds, {}, bounds<vertex_corner, longitude, 6>, nullptr},
      {"vlat_bnds", vertex, 6, vertex_bounds, {}, bounds<vertex_corner, latitude, 6>, nullptr},
      {"elon_bnds", edge, 4, edge_bounds, {}, bounds<edge_corner, longitude, 4>, nullptr},
      {"elat_bnds", edge, 4, edge_bounds, {}, bounds<edge_corner, latitude, 4>, nullptr},
      {"face_nodes", cell, 3, always, role("face_node_connectivity", "corners, counter-clockwise"),
       nullptr, connect<&Mesh::cell_vertices, &Mesh::vertex>},
      {"edge_nodes", edge, 2, edges, role("edge_node_connectivity", "ends, along the tangent"),
       nullptr, connect<&Mesh::edge_vertices, &Mesh::vertex>},
      {"face_edges", cell, 3, full,
       role("face_edge_connectivity", "side j joins corners j and j + 1"), nullptr,
       connect<&Mesh::cell_edges, &Mesh::edge>},
      {"face_faces", cell, 3, full, role("face_face_connectivity", "triangle across side j"),
       nullptr, connect<&Mesh::cell_cells, &Mesh::cell>},
      {"edge_faces", edge, 2, full,
       role("edge_face_connectivity", "triangles left and right of the tangent"), nullptr,
       connect<&Mesh::edge_cells, &Mesh::cell>},
      {"cell_area", cell, 1, full,
       measure("cell_area", "area of the spherical triangle", "m2", cell),
       value<&Mesh::cell_area_m2>, nullptr},
      {"dual_area", vertex, 1, full,
       measure("cell_area", "area of the spherical hexagon", "m2", vertex),
       value<&Mesh::vertex_area_m2>, nullptr},
      {"edge_length", edge, 1, full, measure("", "arc between the ends of the edge", "m", edge),
       value<&Mesh::edge_length_m>, nullptr},
      {"dual_edge_length", edge, 1, full,
       measure("", "arc between the circumcentres beside the edge", "m", edge),
       value<&Mesh::dual_edge_length_m>, nullptr},
  };
}

}  // namespace

std::span<const MeshVariable> mesh_variables() {
  static const std::vector<MeshVariable> list = make_list();
  return list;
}

bool is_wanted(const MeshVariable& variable, const MeshContent& content) {
  return (content.cell || content.edge || content.vertex) && variable.wanted(content);
}

int halo_depth_of(const MeshContent& content) {
  return content.full || (content.bounds && (content.edge || content.vertex)) ? 1 : 0;
}

std::int64_t bounds_bytes(MeshContent content, const PerPlace<std::int64_t>& sizes) {
  std::int64_t bytes = 0;
  for (const auto& variable : mesh_variables()) {
    content.bounds = false;
    const bool anyway = is_wanted(variable, content);
    content.bounds = true;
    if (anyway || !is_wanted(variable, content)) continue;
    bytes += variable.width * static_cast<std::int64_t>(sizeof(double)) * sizes[variable.place];
  }
  return bytes;
}

bool has_bounds(const MeshVariable& variable, const MeshContent& content) {
  const std::string bounds = std::string(variable.name) + "_bnds";
  const auto list = mesh_variables();
  return std::any_of(list.begin(), list.end(), [&](const MeshVariable& other) {
    return other.name == bounds && is_wanted(other, content);
  });
}

std::vector<TextAttribute> topology_attributes(const MeshContent& content) {
  std::vector<TextAttribute> list{{"cf_role", "mesh_topology"},
                                  {"long_name", "icosahedral grid of triangles"},
                                  {"cdi", "ignore"},  // not a field: see the connectivity variables
                                  {"node_coordinates", "vlon vlat"},
                                  {"face_node_connectivity", "face_nodes"},
                                  {"face_dimension", "cell"}};
  if (content.cell) list.push_back({"face_coordinates", "clon clat"});
  if (content.edge) {
    list.push_back({"edge_node_connectivity", "edge_nodes"});
    list.push_back({"edge_dimension", "edge"});
    list.push_back({"edge_coordinates", "elon elat"});
  }
  if (content.full) {
    list.push_back({"face_edge_connectivity", "face_edges"});
    list.push_back({"face_face_connectivity", "face_faces"});
    list.push_back({"edge_face_connectivity", "edge_faces"});
  }
  return list;
}

const char* mesh_location(Place place) {
  return place == Place::cell ? "face" : place == Place::edge ? "edge" : "node";
}

const char* mesh_coordinates(Place place) {
  return place == Place::cell ? "clon clat" : place == Place::edge ? "elon elat" : "vlon vlat";
}

}  // namespace thalweg
