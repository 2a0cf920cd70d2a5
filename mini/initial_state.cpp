// SPDX-License-Identifier: Apache-2.0
// Evaluates a case at the points of the local mesh.
#include "initial_state.hpp"

#include <cmath>
#include <cstdint>

namespace thalweg::mini {
namespace {

/// Component along t_e of a zonal wind at the edge's centre, m s-1.
double wind_along_edge(const Mesh& mesh, int edge, const Case& setup) {
  const Vec3& centre = mesh.edge_centre[edge];
  const double longitude = longitude_rad(centre);
  const Vec3& t = mesh.edge_tangent[edge];
  const double east = t.y * std::cos(longitude) - t.x * std::sin(longitude);
  return setup.eastward_wind_m_s(latitude_rad(centre)) * east;
}

double initial_tracer(int tracer, double longitude, double latitude) {
  if (tracer == 0) return 1.0 + std::sin(latitude);
  return 1.0 + std::cos(latitude) * std::cos(tracer * longitude);
}

}  // namespace

std::vector<double> ground_height_m(const Mesh& mesh, const Case& setup) {
  std::vector<double> ground(mesh.vertex.total());
  for (int v = 0; v < mesh.vertex.total(); ++v) {
    const Vec3& position = mesh.vertex_position[v];
    ground[v] = setup.ground_m(longitude_rad(position), latitude_rad(position));
  }
  return ground;
}

State initial_state(const Mesh& mesh, const Case& setup, int levels, double depth_spread,
                    int tracers) {
  State state = Layers::state(mesh, levels, tracers);
  const double step_m = levels > 1 ? setup.mean_depth_m * depth_spread / (levels - 1) : 0.0;
  for (int v = 0; v < mesh.vertex.total(); ++v) {
    const double longitude = longitude_rad(mesh.vertex_position[v]);
    const double latitude = latitude_rad(mesh.vertex_position[v]);
    const double depth_m =
        setup.surface_m(longitude, latitude) - setup.ground_m(longitude, latitude);
    const auto first = std::int64_t{v} * levels;
    for (int l = 0; l < levels; ++l) state[Layers::thickness][first + l] = depth_m + step_m * l;
    for (int t = 0; t < tracers; ++t) {
      const double tracer = initial_tracer(t, longitude, latitude);
      for (int l = 0; l < levels; ++l) {
        state[Layers::tracer + t][first + l] = state[Layers::thickness][first + l] * tracer;
      }
    }
  }
  for (int e = 0; e < mesh.edge.total(); ++e) {
    const double wind = wind_along_edge(mesh, e, setup);
    for (int l = 0; l < levels; ++l) state[Layers::velocity][std::int64_t{e} * levels + l] = wind;
  }
  return state;
}

}  // namespace thalweg::mini
