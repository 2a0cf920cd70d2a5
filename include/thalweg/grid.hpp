// SPDX-License-Identifier: Apache-2.0
// The icosahedral grid RnBk: its name and sizes, and the local part of its mesh that one rank
// holds.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "thalweg/enum_array.hpp"

namespace thalweg {

inline constexpr double earth_radius_m = 6371229.0;  ///< ICON's sphere (mo_physical_constants)

/// Where values live: cell = triangle, edge = triangle side, vertex = hexagon centre.
enum class Place { cell, edge, vertex };
/// One T for each place: sizes[Place::edge].
template <typename T>
using PerPlace = EnumArray<Place, T, 3>;
inline constexpr PerPlace<const char*> place_names{"cell", "edge", "vertex"};

/// A point on the unit sphere or a tangent vector, Cartesian; z is the axis of rotation.
struct Vec3 {
  double x, y, z;
};

/// An RnBk grid is a name only: everything else is computed from it, point by point.
/// Global indices (0-based) of cells, edges and vertices follow one space-filling curve, so that
/// the edges and vertices first met by the cells [a, b) are themselves contiguous ranges.
struct Grid {
  int n = 2;  ///< root divisions of an icosahedron edge, n >= 1
  int k = 4;  ///< bisections after that, k >= 0

  /// "R2B4" (also "R02B04"); anything else, or a grid of 2^31 cells or more, throws Error(user).
  static Grid parse(std::string_view name);
  std::string name() const;
  std::int64_t cells() const;     ///< 20 n^2 4^k
  std::int64_t edges() const;     ///< 30 n^2 4^k
  std::int64_t vertices() const;  ///< 10 n^2 4^k + 2
  std::int64_t size(Place place) const;
  /// A UUID (RFC 9562, version 8) that follows from the name: the same grid has the same
  /// everywhere.
  std::string uuid() const;
  double mean_resolution_m() const;  ///< sqrt(4 pi R^2 / cells), ICON's "effective resolution"
};

/// Points of one place that a rank holds: owned ones first, then halo; both ascending in `global`.
struct PlacePart {
  std::int64_t global_size = 0;
  int owned = 0;                     ///< points [0, owned) are this rank's
  std::vector<std::int64_t> global;  ///< [total] global index
  std::vector<int> owner;            ///< [total] rank that owns the point
  std::vector<std::int8_t> depth;    ///< [total] halo depth: 0 = part of an owned cell, 1, 2 ...
  int total() const { return static_cast<int>(global.size()); }
};

/// The local mesh of one rank: its cells, and the cells within `halo_depth` vertex-neighbourhoods,
/// with all their edges and vertices. Orders are the same on every rank that holds a point, so sums
/// over neighbours have the same bits everywhere. Local indices are int; -1 = not held here.
///
/// Orientation of an edge e with vertices (v0, v1) and cells (c0, c1):
///   tangent t_e points from v0 to v1; c0 lies left of it, c1 right (seen from outside);
///   normal n_e points from c0 to c1; t = k x n with k the outward radial unit vector.
struct Mesh {
  Grid grid;
  PlacePart cell, edge, vertex;
  const PlacePart& part(Place place) const;

  // Connectivity ------------------------------------------------------------------------------
  std::vector<std::array<int, 3>> cell_vertices;  ///< [cells] counter-clockwise
  std::vector<std::array<int, 3>> cell_edges;     ///< [cells] edge j joins vertices j and j+1
  std::vector<std::array<int, 3>> cell_cells;  ///< [cells] neighbour across edge j, -1 beyond halo
  std::vector<std::array<std::int8_t, 3>>
      cell_edge_sign;  ///< +1: the cell is the edge's c0, so n_e points out of it
  std::vector<std::array<int, 2>> edge_vertices;  ///< [edges] (v0, v1)
  std::vector<std::array<int, 2>> edge_cells;     ///< [edges] (c0, c1), -1 beyond halo
  std::vector<std::int8_t> vertex_degree;  ///< [vertices] 6, or 5 at the 12 icosahedron corners
  std::vector<std::array<int, 6>>
      vertex_edges;  ///< [vertices] counter-clockwise, first = lowest global; -1 where not held
  std::vector<std::array<int, 6>> vertex_cells;  ///< [vertices] cell j lies between edges j and j+1
  std::vector<std::array<std::int8_t, 6>>
      vertex_edge_sign;  ///< +1: t_e points away from the vertex (v0 is it)

  // Geometry, on the sphere of radius earth_radius_m ----------------------------------------------
  std::vector<Vec3> cell_centre;      ///< [cells] circumcentre, unit vector
  std::vector<Vec3> edge_centre;      ///< [edges] midpoint of the arc v0-v1, unit vector
  std::vector<Vec3> vertex_position;  ///< [vertices] unit vector
  std::vector<Vec3> edge_normal;      ///< [edges] n_e at the edge centre, unit tangent vector
  std::vector<Vec3> edge_tangent;     ///< [edges] t_e, unit tangent vector
  std::vector<double> cell_area_m2;   ///< [cells] spherical triangle
  std::vector<double>
      vertex_area_m2;  ///< [vertices] spherical hexagon (dual cell); 0 where not complete here
  std::vector<double> edge_length_m;       ///< [edges] arc v0-v1
  std::vector<double> dual_edge_length_m;  ///< [edges] arc c0-c1 between circumcentres
  std::vector<std::array<double, 3>>
      kite_area_m2;  ///< [cells] share of the cell that belongs to the hexagon of vertex j
};

/// Longitude and latitude of a unit vector, radians, lon in (-pi, pi].
double longitude_rad(const Vec3& point);
double latitude_rad(const Vec3& point);

/// Writes the whole grid as a UGRID + CF netCDF-4 file (lon, lat, bounds, areas, connectivity),
/// slice by slice in constant memory. The file appears under `path` only when complete.
void write_grid_file(const Grid& grid, const std::string& path);

}  // namespace thalweg
