// SPDX-License-Identifier: Apache-2.0
// The written tables from names to numbers: fields of the mini-model, then CF standard names.
// Numbers below 192: WMO Manual on Codes I.2, code table 4.2, version 15. Numbers from 192 on are
// for local use by definition, and these are ours.
#include "format/grib2_table.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string_view>
#include <tuple>

namespace thalweg {

namespace {

struct Row {
  std::string_view name, units;
  Grib2Parameter parameter;
};
constexpr int ground = grib2_ground, column = grib2_whole_atmosphere;

/// Fields of the mini-model that have no CF standard name, by name and units.
constexpr std::array named{
    Row{"h", "m", {0, 3, 12, column}},                // thickness
    Row{"vn", "m s-1", {0, 2, 34, column}},           // normal wind component, as ICON's VN
    Row{"vt", "m s-1", {0, 2, 35, column}},           // tangential wind component, as ICON's VT
    Row{"tracer1", "1", {0, 20, 192, column}},        // local, of atmospheric constituents
    Row{"mass_flux", "m2 s-1", {0, 2, 192, column}},  // local from here on
    Row{"pv", "m-1 s-1", {0, 2, 193, column}},  // GRIB's own 0-2-14 is Ertel's, in other units
    Row{"pv_edge", "m-1 s-1", {0, 2, 194, column}},
    // Reductions over the layers.
    Row{"h_mean", "m", {0, 3, 200, column}},
    Row{"h_max", "m", {0, 3, 201, column}},
    Row{"h_min", "m", {0, 3, 202, column}},
    Row{"tracer1_mean", "1", {0, 20, 200, column}},
    Row{"vn_mean", "m s-1", {0, 2, 200, column}},
    Row{"vn_max", "m s-1", {0, 2, 201, column}},
    Row{"vn_min", "m s-1", {0, 2, 202, column}},
    Row{"vt_mean", "m s-1", {0, 2, 203, column}},
    Row{"mass_flux_sum", "m2 s-1", {0, 2, 204, column}},
    Row{"pv_edge_mean", "m-1 s-1", {0, 2, 205, column}},
    Row{"vor_mean", "s-1", {0, 2, 210, column}},
    Row{"vor_max", "s-1", {0, 2, 211, column}},
    Row{"vor_min", "s-1", {0, 2, 212, column}},
    Row{"vor_first", "s-1", {0, 2, 213, column}},
    Row{"pv_mean", "m-1 s-1", {0, 2, 214, column}},
    Row{"pv_max", "m-1 s-1", {0, 2, 215, column}},
    Row{"pv_min", "m-1 s-1", {0, 2, 216, column}},
    Row{"ua_mean", "m s-1", {0, 2, 220, column}},
    Row{"ua_max", "m s-1", {0, 2, 221, column}},
    Row{"ua_min", "m s-1", {0, 2, 222, column}},
    Row{"ua_first", "m s-1", {0, 2, 223, column}},
    Row{"va_mean", "m s-1", {0, 2, 224, column}},
    Row{"va_max", "m s-1", {0, 2, 225, column}},
    Row{"va_min", "m s-1", {0, 2, 226, column}},
    Row{"va_first", "m s-1", {0, 2, 227, column}},
    Row{"ke_mean", "m2 s-2", {0, 2, 228, column}},
};

/// CF standard names, in the units that GRIB prescribes.
constexpr std::array standard{
    Row{"air_temperature", "K", {0, 0, 0, ground}},
    Row{"virtual_temperature", "K", {0, 0, 1, ground}},
    Row{"air_potential_temperature", "K", {0, 0, 2, ground}},
    Row{"dew_point_temperature", "K", {0, 0, 6, ground}},
    Row{"surface_temperature", "K", {0, 0, 17, ground}},
    Row{"specific_humidity", "kg kg-1", {0, 1, 0, ground}},
    Row{"specific_humidity", "1", {0, 1, 0, ground}},
    Row{"relative_humidity", "%", {0, 1, 1, ground}},
    Row{"precipitation_flux", "kg m-2 s-1", {0, 1, 52, ground}},
    Row{"wind_speed", "m s-1", {0, 2, 1, ground}},
    Row{"eastward_wind", "m s-1", {0, 2, 2, ground}},
    Row{"northward_wind", "m s-1", {0, 2, 3, ground}},
    Row{"lagrangian_tendency_of_air_pressure", "Pa s-1", {0, 2, 8, ground}},
    Row{"upward_air_velocity", "m s-1", {0, 2, 9, ground}},
    Row{"atmosphere_upward_absolute_vorticity", "s-1", {0, 2, 10, ground}},
    Row{"atmosphere_upward_relative_vorticity", "s-1", {0, 2, 12, ground}},
    Row{"divergence_of_wind", "s-1", {0, 2, 13, ground}},
    Row{"ertel_potential_vorticity", "K m2 kg-1 s-1", {0, 2, 14, ground}},
    Row{"specific_kinetic_energy_of_air", "m2 s-2", {0, 2, 195, ground}},  // local
    Row{"coriolis_parameter", "s-1", {0, 2, 196, ground}},                 // local
    Row{"air_pressure", "Pa", {0, 3, 0, ground}},
    Row{"surface_air_pressure", "Pa", {0, 3, 0, ground}},
    Row{"air_pressure_at_mean_sea_level", "Pa", {0, 3, 1, 101}},
    Row{"geopotential", "m2 s-2", {0, 3, 4, ground}},
    Row{"geopotential_height", "m", {0, 3, 5, ground}},
    Row{"surface_altitude", "m", {0, 3, 6, ground}},  // as ICON's topography
    Row{"air_density", "kg m-3", {0, 3, 10, ground}},
    Row{"cloud_area_fraction", "%", {0, 6, 1, ground}},
};

const Grib2Parameter* find(std::span<const Row> rows, std::string_view name,
                           std::string_view units) {
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& candidate) {
    return candidate.name == name && candidate.units == units;
  });
  return row == rows.end() ? nullptr : &row->parameter;
}

/// FNV-1a, 32 bits: http://www.isthe.com/chongo/tech/comp/fnv/
std::uint32_t checksum(std::string_view text) {
  std::uint32_t sum = 2166136261U;
  for (const char letter : text) sum = (sum ^ static_cast<unsigned char>(letter)) * 16777619U;
  return sum;
}

/// The n-th number for local use, n modulo how many there are.
Grib2Parameter local(std::uint32_t n) {
  constexpr std::uint32_t categories = 254 - 192 + 1, numbers = 255;  // 255 = missing
  n %= categories * numbers;
  return {0, 192 + static_cast<int>(n / numbers), static_cast<int>(n % numbers), grib2_ground};
}

}  // namespace

std::vector<Grib2Parameter> grib2_parameters(std::span<const FieldInfo> fields) {
  std::vector<Grib2Parameter> parameters;
  std::set<std::tuple<int, int, int, Place, bool>> used;
  const auto is_free = [&](const FieldInfo& field, const Grib2Parameter& parameter) {
    return used
        .emplace(parameter.discipline, parameter.category, parameter.number, field.place,
                 field.levels > 1)
        .second;
  };
  for (const auto& field : fields) {
    const auto* known = find(named, field.name, field.units);
    if (known == nullptr) known = find(standard, field.standard_name, field.units);
    if (known != nullptr && is_free(field, *known)) {
      parameters.push_back(*known);
      continue;
    }
    auto n = checksum(field.name);
    while (!is_free(field, local(n))) ++n;
    parameters.push_back(local(n));
  }
  return parameters;
}

}  // namespace thalweg
