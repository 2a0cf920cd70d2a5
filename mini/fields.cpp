// SPDX-License-Identifier: Apache-2.0
// The rows of the table of output fields, and which kernel fills each.
#include "fields.hpp"

#include <string>

#include "model_kernels.hpp"

namespace thalweg::mini {
namespace {

using Values = Derived::Values;

// Fields of the state and the mesh.
Values thickness(Derived& d) { return d.state[Layers::thickness]; }
Values velocity(Derived& d) { return d.state[Layers::velocity]; }
Values ground(Derived& d) { return d.ground_m; }
Values coriolis(Derived& d) { return d.stencils.cell_coriolis; }

// Fields that kernels compute.
Values tracer_content(Derived& d) {
  return d.once("tracer", Place::vertex, [&](Extent, std::span<double> out) {
    ::tracer_content({.vertices = d.mesh.vertex.total(),
                      .levels = d.state.levels,
                      .tracer_mass = d.state[Layers::tracer].data(),
                      .thickness = d.state[Layers::thickness].data(),
                      .tracer = out.data()});
  });
}
Values kinetic_energy(Derived& d) {
  return d.once("kinetic_energy", Place::vertex, [&](Extent, std::span<double> out) {
    ::kinetic_energy({.edges = d.mesh.edge.total(),
                      .vertices = d.mesh.vertex.total(),
                      .levels = d.state.levels,
                      .vertex_edges = rows(d.stencils.vertex_edges),
                      .velocity = d.state[Layers::velocity].data(),
                      .kinetic_weight = rows(d.stencils.kinetic_weight),
                      .energy = out.data()});
  });
}
Values divergence(Derived& d) {
  return d.once("divergence", Place::vertex, [&](Extent, std::span<double> out) {
    ::divergence({.edges = d.mesh.edge.total(),
                  .vertices = d.mesh.vertex.total(),
                  .levels = d.state.levels,
                  .vertex_edges = rows(d.stencils.vertex_edges),
                  .velocity = d.state[Layers::velocity].data(),
                  .divergence_weight = rows(d.stencils.divergence_weight),
                  .diverging = out.data()});
  });
}
Values tangential_velocity(Derived& d) {
  return d.once("tangential_velocity", Place::edge, [&](Extent, std::span<double> out) {
    ::tangential_velocity({.edges = d.mesh.edge.total(),
                           .levels = d.state.levels,
                           .edge_ring = rows(d.stencils.edge_ring),
                           .velocity = d.state[Layers::velocity].data(),
                           .perpendicular_weight = rows(d.stencils.perpendicular_weight),
                           .tangential = out.data()});
  });
}
Values mass_flux(Derived& d) {
  return d.once("mass_flux", Place::edge, [&](Extent, std::span<double> out) {
    ::mass_flux({.vertices = d.mesh.vertex.total(),
                 .edges = d.mesh.edge.total(),
                 .levels = d.state.levels,
                 .edge_vertices = rows(d.stencils.edge_vertices),
                 .thickness = d.state[Layers::thickness].data(),
                 .velocity = d.state[Layers::velocity].data(),
                 .flux = out.data()});
  });
}
Values relative_vorticity(Derived& d) {
  return d.once("relative_vorticity", Place::cell, [&](Extent, std::span<double> out) {
    ::relative_vorticity({.edges = d.mesh.edge.total(),
                          .cells = d.mesh.cell.total(),
                          .levels = d.state.levels,
                          .cell_edges = rows(d.stencils.cell_edges),
                          .velocity = d.state[Layers::velocity].data(),
                          .circulation_weight = rows(d.stencils.circulation_weight),
                          .vorticity = out.data()});
  });
}
Values absolute_vorticity(Derived& d) {
  const Values relative = relative_vorticity(d);
  return d.once("absolute_vorticity", Place::cell, [&](Extent, std::span<double> out) {
    ::absolute_vorticity({.cells = d.mesh.cell.total(),
                          .levels = d.state.levels,
                          .vorticity = relative.data(),
                          .coriolis = d.stencils.cell_coriolis.data(),
                          .absolute = out.data()});
  });
}
Values potential_vorticity(Derived& d) {
  const Values relative = relative_vorticity(d);
  return d.once("potential_vorticity", Place::cell, [&](Extent, std::span<double> out) {
    layer_potential_vorticity({.cells = d.mesh.cell.total(),
                               .vertices = d.mesh.vertex.total(),
                               .levels = d.state.levels,
                               .cell_vertices = rows(d.stencils.cell_vertices),
                               .vorticity = relative.data(),
                               .thickness = d.state[Layers::thickness].data(),
                               .thickness_weight = rows(d.stencils.cell_thickness_weight),
                               .coriolis = d.stencils.cell_coriolis.data(),
                               .potential_vorticity = out.data()});
  });
}
Values edge_potential_vorticity(Derived& d) {
  const Values values = potential_vorticity(d);
  return d.once("edge_potential_vorticity", Place::edge, [&](Extent, std::span<double> out) {
    ::edge_potential_vorticity({.cells = d.mesh.cell.total(),
                                .edges = d.mesh.edge.total(),
                                .levels = d.state.levels,
                                .edge_cells = rows(d.stencils.edge_cells),
                                .potential_vorticity = values.data(),
                                .edge_vorticity = out.data()});
  });
}
/// One component of the wind by its weights.
Values wind(Derived& d, const std::string& name, const std::vector<std::array<double, 3>>& weight) {
  return d.once(name, Place::cell, [&](Extent, std::span<double> out) {
    cell_velocity({.edges = d.mesh.edge.total(),
                   .cells = d.mesh.cell.total(),
                   .levels = d.state.levels,
                   .cell_edges = rows(d.stencils.cell_edges),
                   .velocity = d.state[Layers::velocity].data(),
                   .component_weight = rows(weight),
                   .component = out.data()});
  });
}
Values eastward_wind(Derived& d) { return wind(d, "eastward_wind", d.east); }
Values northward_wind(Derived& d) { return wind(d, "northward_wind", d.north); }

/// A three-dimensional field.
FieldRow layered(Place place, const char* name, const char* standard_name, const char* long_name,
                 const char* units, Values (*compute)(Derived&), std::source_location kernel) {
  return {{name, standard_name, long_name, units, place, 0}, compute, {}, kernel};
}

/// A field that does not change in time and has no layers.
FieldRow constant(Place place, const char* name, const char* standard_name, const char* long_name,
                  const char* units, Values (*compute)(Derived&)) {
  return {{name, standard_name, long_name, units, place, 1},
          compute,
          {},
          std::source_location::current()};
}

/// The reduction of a three-dimensional row, named <row>_<reduction>. No standard name: CF would
/// need a cell method over a vertical coordinate that layers of a shallow-water model do not have.
/// What follows a comma in the row's long name explains it and is not said again: `thalweg fields`
/// keeps to 100 columns.
FieldRow reduced(const FieldRow& row, Reduction reduction, const char* suffix, const char* meaning,
                 std::source_location kernel) {
  FieldInfo info = row.info;
  info.name += std::string("_") + suffix;
  info.long_name =
      std::string(meaning) + " of " + row.info.long_name.substr(0, row.info.long_name.find(','));
  info.standard_name = "";
  info.levels = 1;
  return {info, row.compute, reduction, kernel};
}
FieldRow mean(const FieldRow& row) {
  return reduced(row, Reduction::mean, "mean", "mean over layers", level_mean_source);
}
FieldRow largest(const FieldRow& row) {
  return reduced(row, Reduction::max, "max", "maximum over layers", level_maximum_source);
}
FieldRow smallest(const FieldRow& row) {
  return reduced(row, Reduction::min, "min", "minimum over layers", level_minimum_source);
}
FieldRow total(const FieldRow& row) {
  return reduced(row, Reduction::sum, "sum", "sum over layers", level_sum_source);
}
FieldRow first(const FieldRow& row) {
  return reduced(row, Reduction::first, "first", "first layer", first_level_source);
}
/// A row that "all" and groups leave out, so that the volume of an output stays that of ICON's.
FieldRow on_request(FieldRow row) {
  row.info.on_request = true;
  return row;
}

// Standard names are those of the CF table only; CF has none for components along edges of a mesh.
std::vector<FieldRow> make_table() {
  constexpr Place cell = Place::cell, edge = Place::edge, vertex = Place::vertex;
  const FieldRow h = layered(vertex, "h", "", "layer thickness", "m", thickness, last_stage_source);
  const FieldRow tracer = layered(vertex, "tracer1", "", "passive tracer 1", "1", tracer_content,
                                  tracer_content_source);
  const FieldRow ke =
      layered(vertex, "ke", "specific_kinetic_energy_of_air", "kinetic energy per mass", "m2 s-2",
              kinetic_energy, kinetic_energy_source);
  const FieldRow div = layered(vertex, "div", "divergence_of_wind", "divergence of wind", "s-1",
                               divergence, divergence_source);
  const FieldRow vn =
      layered(edge, "vn", "", "velocity along the edge, normal to the hexagon's face", "m s-1",
              velocity, last_stage_source);
  const FieldRow vt = layered(edge, "vt", "", "velocity across the edge, along the hexagon's face",
                              "m s-1", tangential_velocity, tangential_velocity_source);
  const FieldRow flux =
      layered(edge, "mass_flux", "", "volume flux per length, through the hexagon's face", "m2 s-1",
              mass_flux, mass_flux_source);
  const FieldRow edge_pv = layered(edge, "pv_edge", "", "potential vorticity at edges", "m-1 s-1",
                                   edge_potential_vorticity, edge_potential_vorticity_source);
  const FieldRow vor =
      layered(cell, "vor", "atmosphere_upward_relative_vorticity", "relative vorticity", "s-1",
              relative_vorticity, relative_vorticity_source);
  const FieldRow pv = layered(cell, "pv", "", "shallow-water potential vorticity", "m-1 s-1",
                              potential_vorticity, layer_potential_vorticity_source);
  const FieldRow ua = layered(cell, "ua", "eastward_wind", "eastward wind", "m s-1", eastward_wind,
                              cell_velocity_source);
  const FieldRow va = layered(cell, "va", "northward_wind", "northward wind", "m s-1",
                              northward_wind, cell_velocity_source);
  return {
      // three-dimensional: 4 on vertices, 4 on edges, 4 on cells
      h,
      tracer,
      ke,
      div,
      vn,
      vt,
      flux,
      edge_pv,
      vor,
      pv,
      ua,
      va,
      // two-dimensional: 6 on vertices
      constant(vertex, "topography", "surface_altitude", "height of the ground", "m", ground),
      mean(h),
      largest(h),
      smallest(h),
      mean(tracer),
      mean(ke),
      // 6 on edges
      mean(vn),
      largest(vn),
      smallest(vn),
      mean(vt),
      total(flux),
      mean(edge_pv),
      // 16 on cells
      constant(cell, "coriolis", "coriolis_parameter", "Coriolis parameter", "s-1", coriolis),
      mean(vor),
      largest(vor),
      smallest(vor),
      first(vor),
      mean(pv),
      largest(pv),
      smallest(pv),
      mean(ua),
      largest(ua),
      smallest(ua),
      first(ua),
      mean(va),
      largest(va),
      smallest(va),
      first(va),
      // written where a stream names them
      on_request(layered(cell, "vor_abs", "atmosphere_upward_absolute_vorticity",
                         "absolute vorticity", "s-1", absolute_vorticity,
                         absolute_vorticity_source)),
  };
}

}  // namespace

void reduce_levels(Extent extent, Reduction reduction, std::span<const double> values,
                   std::span<double> out) {
  const auto points = static_cast<std::int64_t>(extent.points);
  const auto levels = static_cast<std::int64_t>(extent.levels);
  const double* from = values.data();
  double* to = out.data();
  switch (reduction) {
    case Reduction::first:
      return first_level({.points = points, .levels = levels, .values = from, .reduced = to});
    case Reduction::max:
      return level_maximum({.points = points, .levels = levels, .values = from, .reduced = to});
    case Reduction::min:
      return level_minimum({.points = points, .levels = levels, .values = from, .reduced = to});
    case Reduction::sum:
      return level_sum({.points = points, .levels = levels, .values = from, .reduced = to});
    case Reduction::mean:
      return level_mean({.points = points,
                         .levels = levels,
                         .values = from,
                         .count = static_cast<double>(levels),
                         .reduced = to});
  }
}

const std::vector<FieldRow>& field_table() {
  static const std::vector<FieldRow> table = make_table();
  return table;
}

std::vector<FieldInfo> output_fields(int levels) {
  std::vector<FieldInfo> fields;
  for (const FieldRow& row : field_table()) {
    fields.push_back(row.info);
    if (fields.back().levels == 0) fields.back().levels = levels;
  }
  return fields;
}

}  // namespace thalweg::mini
