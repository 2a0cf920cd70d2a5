// SPDX-License-Identifier: Apache-2.0
// The rows of the table; standard names are those of CF.
#include "primitive/primitive_fields.hpp"

#include "constants.hpp"
#include "kernel_ranks.hpp"
#include "model_kernels.hpp"
#include "primitive/air.hpp"

namespace thalweg::mini {
namespace {

using Values = std::span<const double>;
constexpr int of_layers = 0, of_faces = -1;  // FieldInfo::levels in the table

double* room_for(AirFields& of, int points, int levels) {
  of.room.resize(Extent(points, levels).values());
  return of.room.data();
}

Values surface_pressure(AirFields& of) { return of.state[Air::surface_pressure]; }
Values ground_height(AirFields& of) { return of.ground_m; }
Values edge_velocity(AirFields& of) { return of.state[Air::velocity]; }
Values theta(AirFields& of) { return of.dynamics.theta(); }
Values vertical_flux(AirFields& of) { return of.dynamics.vertical_flux(); }

Values wind_component(AirFields& of, const std::vector<std::array<double, 6>>& weight) {
  const CallsOfHexagons calls;
  hexagon_wind({.edges = of.hexagons.edges,
                .cells = of.hexagons.cells,
                .levels = of.state.levels,
                .cell_edges = rows(of.hexagons.cell_edges),
                .velocity = of.state[Air::velocity].data(),
                .component_weight = rows(weight),
                .component = room_for(of, of.hexagons.cells, of.state.levels)});
  return of.room;
}
Values eastward(AirFields& of) { return wind_component(of, of.hexagons.eastward_weight); }
Values northward(AirFields& of) { return wind_component(of, of.hexagons.northward_weight); }

Values temperature(AirFields& of) {
  const CallsOfHexagons calls;
  air_temperature({.cells = of.hexagons.cells,
                   .levels = of.state.levels,
                   .theta = of.dynamics.theta().data(),
                   .exner = of.dynamics.exner().data(),
                   .heat_capacity = heat_capacity_J_kg_K,
                   .temperature = room_for(of, of.hexagons.cells, of.state.levels)});
  return of.room;
}
Values pressure_in_layers(AirFields& of) {
  const CallsOfHexagons calls;
  layer_pressure({.cells = of.hexagons.cells,
                  .levels = of.state.levels,
                  .surface_pressure = of.state[Air::surface_pressure].data(),
                  .mean_a = of.levels.mean_a.data(),
                  .mean_b = of.levels.mean_b.data(),
                  .pressure = room_for(of, of.hexagons.cells, of.state.levels)});
  return of.room;
}
Values pressure_on_faces(AirFields& of) {
  const CallsOfHexagons calls;
  face_pressure({.cells = of.hexagons.cells,
                 .levels = of.state.levels,
                 .surface_pressure = of.state[Air::surface_pressure].data(),
                 .face_a = of.levels.face_a.data(),
                 .face_b = of.levels.face_b.data(),
                 .pressure = room_for(of, of.hexagons.cells, of.state.levels + 1)});
  return of.room;
}
Values height(AirFields& of) {
  const CallsOfHexagons calls;
  geopotential_height({.cells = of.hexagons.cells,
                       .levels = of.state.levels,
                       .geopotential = of.dynamics.geopotential().data(),
                       .gravity = gravity_m_s2,
                       .height = room_for(of, of.hexagons.cells, of.state.levels + 1)});
  return of.room;
}
Values vorticity(AirFields& of) {
  relative_vorticity({.edges = of.mesh.edge.total(),
                      .cells = of.mesh.cell.total(),
                      .levels = of.state.levels,
                      .cell_edges = rows(of.stencils.cell_edges),
                      .velocity = of.state[Air::velocity].data(),
                      .circulation_weight = rows(of.stencils.circulation_weight),
                      .vorticity = room_for(of, of.mesh.cell.total(), of.state.levels)});
  return of.room;
}

struct AirRow {
  const char *name, *standard_name, *long_name, *units;
  Place place;
  int levels;
  Values (*compute)(AirFields&);
  std::source_location kernel;
};

const std::array air_rows{
    AirRow{"ps", "surface_air_pressure", "pressure at the ground", "Pa", Place::vertex, 1,
           surface_pressure, last_stage_source},
    AirRow{"orog", "surface_altitude", "height of the ground", "m", Place::vertex, 1, ground_height,
           std::source_location::current()},
    AirRow{"ta", "air_temperature", "temperature", "K", Place::vertex, of_layers, temperature,
           air_temperature_source},
    AirRow{"theta", "air_potential_temperature", "potential temperature", "K", Place::vertex,
           of_layers, theta, pvort_source},
    AirRow{"ua", "eastward_wind", "eastward wind", "m s-1", Place::vertex, of_layers, eastward,
           hexagon_wind_source},
    AirRow{"va", "northward_wind", "northward wind", "m s-1", Place::vertex, of_layers, northward,
           hexagon_wind_source},
    AirRow{"pfull", "air_pressure", "pressure of layers", "Pa", Place::vertex, of_layers,
           pressure_in_layers, layer_pressure_source},
    AirRow{"vn", "", "velocity along the edge, normal to the hexagon's face", "m s-1", Place::edge,
           of_layers, edge_velocity, last_stage_source},
    AirRow{"vor", "atmosphere_upward_relative_vorticity", "relative vorticity", "s-1", Place::cell,
           of_layers, vorticity, relative_vorticity_source},
    AirRow{"phalf", "air_pressure", "pressure on half levels", "Pa", Place::vertex, of_faces,
           pressure_on_faces, face_pressure_source},
    AirRow{"zghalf", "geopotential_height", "geopotential height of half levels", "m",
           Place::vertex, of_faces, height, geopotential_height_source},
    AirRow{"wmass", "", "mass flux through half levels, positive upward", "kg m-2 s-1",
           Place::vertex, of_faces, vertical_flux, caldyn_vert_source},
};

}  // namespace

std::vector<OutputRow> primitive_rows(int levels) {
  std::vector<OutputRow> rows;
  for (const AirRow& row : air_rows) {
    FieldInfo info{row.name, row.standard_name, row.long_name, row.units, row.place, row.levels};
    if (row.levels != 1) info.levels = levels - row.levels;
    info.half_levels = row.levels == of_faces;
    info.on_request = info.half_levels;
    rows.push_back({info, row.kernel});
  }
  return rows;
}

std::span<const double> air_field(AirFields& fields, std::size_t row) {
  return air_rows[row].compute(fields);
}

}  // namespace thalweg::mini
