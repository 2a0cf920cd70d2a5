// SPDX-License-Identifier: Apache-2.0
// The rows of the table of output fields.
#include "fields.hpp"

#include <string>

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

/// A three-dimensional field.
FieldRow layered(Place place, const char* name, const char* standard_name, const char* long_name,
                 const char* units, Derived::Values (Derived::*compute)(),
                 std::source_location kernel) {
  return {{name, standard_name, long_name, units, place, 0}, compute, {}, kernel};
}

/// A field that does not change in time and has no layers.
FieldRow constant(Place place, const char* name, const char* standard_name, const char* long_name,
                  const char* units, Derived::Values (Derived::*compute)()) {
  return {{name, standard_name, long_name, units, place, 1},
          compute,
          {},
          std::source_location::current()};
}

/// The reduction of a three-dimensional row, named <row>_<reduction>. No standard name: CF would
/// need a cell method over a vertical coordinate that layers of a shallow-water model do not have.
FieldRow reduced(const FieldRow& row, Reduction reduction, const char* suffix,
                 const char* meaning) {
  FieldInfo info = row.info;
  info.name += std::string("_") + suffix;
  info.long_name = std::string(meaning) + " of " + row.info.long_name;
  info.standard_name = "";
  info.levels = 1;
  return {info, row.compute, reduction, level_reduction_source};
}
FieldRow mean(const FieldRow& row) {
  return reduced(row, Reduction::mean, "mean", "mean over the layers");
}
FieldRow largest(const FieldRow& row) {
  return reduced(row, Reduction::max, "max", "maximum over the layers");
}
FieldRow smallest(const FieldRow& row) {
  return reduced(row, Reduction::min, "min", "minimum over the layers");
}
FieldRow total(const FieldRow& row) {
  return reduced(row, Reduction::sum, "sum", "sum over the layers");
}
FieldRow first(const FieldRow& row) {
  return reduced(row, Reduction::first, "first", "first layer");
}

// Standard names are those of the CF table only; CF has none for components along edges of a mesh.
std::vector<FieldRow> make_table() {
  constexpr Place cell = Place::cell, edge = Place::edge, vertex = Place::vertex;
  using D = Derived;
  const FieldRow h =
      layered(vertex, "h", "", "layer thickness", "m", &D::thickness, runge_kutta_update_source);
  const FieldRow tracer =
      layered(vertex, "tracer1", "", "passive tracer 1", "1", &D::tracer, ratio_source);
  const FieldRow ke =
      layered(vertex, "ke", "specific_kinetic_energy_of_air", "kinetic energy per mass", "m2 s-2",
              &D::kinetic_energy, kinetic_energy_source);
  const FieldRow div = layered(vertex, "div", "divergence_of_wind", "divergence of wind", "s-1",
                               &D::divergence, divergence_source);
  const FieldRow vn =
      layered(edge, "vn", "", "velocity along the edge, normal to the hexagon's face", "m s-1",
              &D::velocity, runge_kutta_update_source);
  const FieldRow vt = layered(edge, "vt", "", "velocity across the edge, along the hexagon's face",
                              "m s-1", &D::tangential_velocity, tangential_velocity_source);
  const FieldRow flux =
      layered(edge, "mass_flux", "", "volume flux per length through the hexagon's face", "m2 s-1",
              &D::mass_flux, mass_flux_source);
  const FieldRow edge_pv = layered(edge, "pv_edge", "", "potential vorticity at edges", "m-1 s-1",
                                   &D::edge_potential_vorticity, edge_potential_vorticity_source);
  const FieldRow vor =
      layered(cell, "vor", "atmosphere_upward_relative_vorticity", "relative vorticity", "s-1",
              &D::relative_vorticity, relative_vorticity_source);
  const FieldRow pv = layered(cell, "pv", "", "shallow-water potential vorticity", "m-1 s-1",
                              &D::potential_vorticity, potential_vorticity_source);
  const FieldRow ua = layered(cell, "ua", "eastward_wind", "eastward wind", "m s-1",
                              &D::eastward_wind, cell_velocity_source);
  const FieldRow va = layered(cell, "va", "northward_wind", "northward wind", "m s-1",
                              &D::northward_wind, cell_velocity_source);
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
      constant(vertex, "topography", "surface_altitude", "height of the ground", "m", &D::ground),
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
      constant(cell, "coriolis", "coriolis_parameter", "Coriolis parameter", "s-1", &D::coriolis),
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
