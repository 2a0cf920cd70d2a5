// SPDX-License-Identifier: Apache-2.0
// The written table from CF standard names to numbers: WMO Manual on Codes I.2, code table 4.2,
// version 15. Numbers from 192 on are for local use by definition: the rest goes there.
#include "format/grib2/table.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string_view>
#include <tuple>

namespace thalweg {

namespace {

enum class Where { air, ground, sea_level };  ///< air: on model layers, or at a height
struct Row {
  std::string_view standard_name, units;
  int discipline, category, number;
  Where where;
};

/// CF standard names, in the units that GRIB prescribes and where GRIB and CF mean the same.
constexpr std::array table{
    Row{"air_temperature", "K", 0, 0, 0, Where::air},
    Row{"virtual_temperature", "K", 0, 0, 1, Where::air},
    Row{"air_potential_temperature", "K", 0, 0, 2, Where::air},
    Row{"dew_point_temperature", "K", 0, 0, 6, Where::air},
    Row{"surface_temperature", "K", 0, 0, 17, Where::ground},
    Row{"specific_humidity", "kg kg-1", 0, 1, 0, Where::air},
    Row{"specific_humidity", "1", 0, 1, 0, Where::air},
    Row{"relative_humidity", "%", 0, 1, 1, Where::air},
    Row{"precipitation_flux", "kg m-2 s-1", 0, 1, 52, Where::ground},
    Row{"wind_speed", "m s-1", 0, 2, 1, Where::air},
    Row{"eastward_wind", "m s-1", 0, 2, 2, Where::air},
    Row{"northward_wind", "m s-1", 0, 2, 3, Where::air},
    Row{"lagrangian_tendency_of_air_pressure", "Pa s-1", 0, 2, 8, Where::air},
    Row{"upward_air_velocity", "m s-1", 0, 2, 9, Where::air},
    Row{"atmosphere_upward_absolute_vorticity", "s-1", 0, 2, 10, Where::air},
    Row{"atmosphere_upward_relative_vorticity", "s-1", 0, 2, 12, Where::air},
    Row{"divergence_of_wind", "s-1", 0, 2, 13, Where::air},
    Row{"ertel_potential_vorticity", "K m2 kg-1 s-1", 0, 2, 14, Where::air},
    Row{"air_pressure", "Pa", 0, 3, 0, Where::air},
    Row{"surface_air_pressure", "Pa", 0, 3, 0, Where::ground},
    Row{"air_pressure_at_mean_sea_level", "Pa", 0, 3, 1, Where::sea_level},
    Row{"geopotential", "m2 s-2", 0, 3, 4, Where::air},
    Row{"geopotential_height", "m", 0, 3, 5, Where::air},
    Row{"surface_altitude", "m", 0, 3, 6, Where::ground},  // geometric height, as ICON's topography
    Row{"air_density", "kg m-3", 0, 3, 10, Where::air},
};

/// Where a field lies, as far as its description says.
bool lies(Where where, const FieldInfo& field) {
  const bool at_height = field.height_m > 0.0;
  return where == Where::air ? field.levels > 1 || at_height : field.levels == 1 && !at_height;
}

int surface_of(Where where, const FieldInfo& field) {
  if (field.height_m > 0.0) return grib2_above_ground;
  return where == Where::sea_level ? grib2_sea_level : grib2_ground;
}

const Row* find(const FieldInfo& field) {
  const auto row = std::find_if(table.begin(), table.end(), [&](const Row& candidate) {
    return candidate.standard_name == field.standard_name && candidate.units == field.units &&
           lies(candidate.where, field);
  });
  return row == table.end() ? nullptr : &*row;
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
  return {0, 192 + static_cast<int>(n / numbers), static_cast<int>(n % numbers)};
}

/// Layers lie between two surfaces, and half levels are surfaces.
void lay_levels(Grib2Parameter& parameter, const FieldInfo& field) {
  if (field.levels == 1) return;
  parameter.surface = grib2_general_height;
  parameter.second_surface = field.half_levels ? grib2_nowhere : grib2_general_height;
}

}  // namespace

std::vector<Grib2Parameter> grib2_parameters(std::span<const FieldInfo> fields) {
  std::vector<Grib2Parameter> parameters;
  std::set<std::tuple<int, int, int, int, int, Place, double>> used;
  const auto is_free = [&](const FieldInfo& field, const Grib2Parameter& parameter) {
    return used
        .emplace(parameter.discipline, parameter.category, parameter.number, parameter.surface,
                 parameter.second_surface, field.place, field.height_m)
        .second;
  };
  for (const auto& field : fields) {
    if (const auto* known = find(field); known != nullptr) {
      Grib2Parameter parameter{known->discipline, known->category, known->number,
                               surface_of(known->where, field)};
      lay_levels(parameter, field);
      if (is_free(field, parameter)) {
        parameters.push_back(parameter);
        continue;
      }
    }
    auto n = checksum(field.name);
    const auto numbered = [&] {
      auto parameter = local(n);
      lay_levels(parameter, field);
      if (field.height_m > 0.0) parameter.surface = grib2_above_ground;
      return parameter;
    };
    while (!is_free(field, numbered())) ++n;
    parameters.push_back(numbered());
  }
  return parameters;
}

}  // namespace thalweg
