// SPDX-License-Identifier: Apache-2.0
// The rows of the table of output fields, and which kernel fills each.
#include "fields.hpp"

#include <string>

#include "kernels/absolute_vorticity.hpp"
#include "kernels/cell_velocity.hpp"
#include "kernels/divergence.hpp"
#include "kernels/edge_potential_vorticity.hpp"
#include "kernels/kinetic_energy.hpp"
#include "kernels/mass_flux.hpp"
#include "kernels/potential_vorticity.hpp"
#include "kernels/ratio.hpp"
#include "kernels/relative_vorticity.hpp"
#include "kernels/runge_kutta_update.hpp"
#include "kernels/tangential_velocity.hpp"

namespace thalweg::mini {
namespace {

using Values = Derived::Values;

// Fields of the state and the mesh.
Values thickness(Derived& d) { return d.state.thickness; }
Values velocity(Derived& d) { return d.state.velocity; }
Values ground(Derived& d) { return d.ground_m; }
Values coriolis(Derived& d) { return d.stencils.cell_coriolis; }

// Fields that kernels compute.
Values tracer_content(Derived& d) {
  return d.once("tracer", Place::vertex, [&](Extent extent, std::span<double> out) {
    ratio(extent, d.state.tracer_mass[0], d.state.thickness, out);
  });
}
Values kinetic_energy(Derived& d) {
  return d.once("kinetic_energy", Place::vertex, [&](Extent extent, std::span<double> out) {
    mini::kinetic_energy(extent, d.stencils.vertex_edges, d.stencils.kinetic_weight,
                         d.state.velocity, out);
  });
}
Values divergence(Derived& d) {
  return d.once("divergence", Place::vertex, [&](Extent extent, std::span<double> out) {
    mini::divergence(extent, d.stencils.vertex_edges, d.stencils.divergence_weight,
                     d.state.velocity, 1.0, out);
  });
}
Values tangential_velocity(Derived& d) {
  return d.once("tangential_velocity", Place::edge, [&](Extent extent, std::span<double> out) {
    mini::tangential_velocity(extent, d.stencils.edge_ring, d.stencils.perpendicular_weight,
                              d.state.velocity, out);
  });
}
Values mass_flux(Derived& d) {
  return d.once("mass_flux", Place::edge, [&](Extent extent, std::span<double> out) {
    mini::mass_flux(extent, d.stencils.edge_vertices, d.state.thickness, d.state.velocity, out);
  });
}
Values relative_vorticity(Derived& d) {
  return d.once("relative_vorticity", Place::cell, [&](Extent extent, std::span<double> out) {
    mini::relative_vorticity(extent, d.stencils.cell_edges, d.stencils.circulation_weight,
                             d.state.velocity, out);
  });
}
Values absolute_vorticity(Derived& d) {
  const Values relative = relative_vorticity(d);
  return d.once("absolute_vorticity", Place::cell, [&](Extent extent, std::span<double> out) {
    mini::absolute_vorticity(extent, relative, d.stencils.cell_coriolis, out);
  });
}
Values potential_vorticity(Derived& d) {
  const Values relative = relative_vorticity(d);
  return d.once("potential_vorticity", Place::cell, [&](Extent extent, std::span<double> out) {
    mini::potential_vorticity(extent, d.stencils.cell_vertices, d.stencils.cell_thickness_weight,
                              d.stencils.cell_coriolis, relative, d.state.thickness, out);
  });
}
Values edge_potential_vorticity(Derived& d) {
  const Values values = potential_vorticity(d);
  return d.once("edge_potential_vorticity", Place::edge, [&](Extent extent, std::span<double> out) {
    const std::vector<double> no_anticipation(out.size(), 0.0);
    mini::edge_potential_vorticity(extent, d.stencils.edge_cells, values, no_anticipation, out);
  });
}
Values eastward_wind(Derived& d) {
  return d.once("eastward_wind", Place::cell, [&](Extent extent, std::span<double> out) {
    cell_velocity(extent, d.stencils.cell_edges, d.east, d.state.velocity, out);
  });
}
Values northward_wind(Derived& d) {
  return d.once("northward_wind", Place::cell, [&](Extent extent, std::span<double> out) {
    cell_velocity(extent, d.stencils.cell_edges, d.north, d.state.velocity, out);
  });
}

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
FieldRow reduced(const FieldRow& row, Reduction reduction, const char* suffix,
                 const char* meaning) {
  FieldInfo info = row.info;
  info.name += std::string("_") + suffix;
  info.long_name =
      std::string(meaning) + " of " + row.info.long_name.substr(0, row.info.long_name.find(','));
  info.standard_name = "";
  info.levels = 1;
  return {info, row.compute, reduction, level_reduction_source};
}
FieldRow mean(const FieldRow& row) {
  return reduced(row, Reduction::mean, "mean", "mean over layers");
}
FieldRow largest(const FieldRow& row) {
  return reduced(row, Reduction::max, "max", "maximum over layers");
}
FieldRow smallest(const FieldRow& row) {
  return reduced(row, Reduction::min, "min", "minimum over layers");
}
FieldRow total(const FieldRow& row) {
  return reduced(row, Reduction::sum, "sum", "sum over layers");
}
FieldRow first(const FieldRow& row) {
  return reduced(row, Reduction::first, "first", "first layer");
}
/// A row that "all" and groups leave out, so that the volume of an output stays that of ICON's.
FieldRow on_request(FieldRow row) {
  row.info.on_request = true;
  return row;
}

// Standard names are those of the CF table only; CF has none for components along edges of a mesh.
std::vector<FieldRow> make_table() {
  constexpr Place cell = Place::cell, edge = Place::edge, vertex = Place::vertex;
  const FieldRow h =
      layered(vertex, "h", "", "layer thickness", "m", thickness, runge_kutta_update_source);
  const FieldRow tracer =
      layered(vertex, "tracer1", "", "passive tracer 1", "1", tracer_content, ratio_source);
  const FieldRow ke =
      layered(vertex, "ke", "specific_kinetic_energy_of_air", "kinetic energy per mass", "m2 s-2",
              kinetic_energy, kinetic_energy_source);
  const FieldRow div = layered(vertex, "div", "divergence_of_wind", "divergence of wind", "s-1",
                               divergence, divergence_source);
  const FieldRow vn =
      layered(edge, "vn", "", "velocity along the edge, normal to the hexagon's face", "m s-1",
              velocity, runge_kutta_update_source);
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
                              potential_vorticity, potential_vorticity_source);
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
