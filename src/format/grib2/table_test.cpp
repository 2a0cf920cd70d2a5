// SPDX-License-Identifier: Apache-2.0
#include "format/grib2/table.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <tuple>

using namespace thalweg;

namespace {

FieldInfo field(const std::string& name, const std::string& standard_name, const std::string& units,
                int levels = 3, double height_m = 0.0) {
  return {name, standard_name, "", units, Place::cell, levels, ValueType::float64, height_m};
}
bool is_local(const Grib2Parameter& parameter) { return parameter.category >= 192; }
bool is(const Grib2Parameter& parameter, int category, int number, int surface) {
  return parameter.discipline == 0 && parameter.category == category &&
         parameter.number == number && parameter.surface == surface;
}

}  // namespace

TEST_SUITE("grib2_table") {
  TEST_CASE("standard_names_count_only_in_the_units_of_grib") {
    const std::vector<FieldInfo> fields{field("t", "air_temperature", "K"),
                                        field("t2", "air_temperature", "degC")};
    const auto parameters = grib2_parameters(fields);
    CHECK(is(parameters[0], 0, 0, grib2_general_height));
    CHECK(is_local(parameters[1]));
  }

  TEST_CASE("names_alone_say_nothing") {
    const std::vector<FieldInfo> fields{field("h", "", "m"), field("vn", "", "m s-1"),
                                        field("topography", "surface_altitude", "m", 1)};
    const auto parameters = grib2_parameters(fields);
    CHECK(is_local(parameters[0]));
    CHECK(is_local(parameters[1]));
    CHECK(is(parameters[2], 3, 6, grib2_ground));
  }

  TEST_CASE("the_level_says_which_parameter_it_is") {
    const std::vector<FieldInfo> fields{field("ta", "air_temperature", "K"),
                                        field("t2m", "air_temperature", "K", 1, 2.0),
                                        field("t10m", "air_temperature", "K", 1, 10.0),
                                        field("t_somewhere", "air_temperature", "K", 1),
                                        field("ps", "surface_air_pressure", "Pa", 1),
                                        field("ps_3d", "surface_air_pressure", "Pa"),
                                        field("psl", "air_pressure_at_mean_sea_level", "Pa", 1),
                                        field("own2m", "", "1", 1, 2.0)};
    const auto parameters = grib2_parameters(fields);
    CHECK(is(parameters[0], 0, 0, grib2_general_height));
    CHECK(is(parameters[1], 0, 0, grib2_above_ground));
    CHECK(is(parameters[2], 0, 0, grib2_above_ground));
    CHECK(is_local(parameters[3]));
    CHECK(parameters[3].surface == grib2_nowhere);
    CHECK(is(parameters[4], 3, 0, grib2_ground));
    CHECK(is_local(parameters[5]));
    CHECK(is(parameters[6], 3, 1, grib2_sea_level));
    CHECK(is_local(parameters[7]));
    CHECK(parameters[7].surface == grib2_above_ground);
  }

  TEST_CASE("no_two_fields_of_a_place_share_a_number") {
    std::vector<FieldInfo> fields;
    for (int i = 0; i < 5000; ++i) fields.push_back(field("own" + std::to_string(i), "", "1"));
    fields.push_back(field("t", "air_temperature", "K"));
    fields.push_back(field("t_again", "air_temperature", "K"));
    std::set<std::tuple<int, int, int>> seen;
    for (const auto& parameter : grib2_parameters(fields)) {
      CHECK(seen.emplace(parameter.discipline, parameter.category, parameter.number).second);
      CHECK(parameter.category < 255);
      CHECK(parameter.number < 255);
    }
  }

  TEST_CASE("an_unknown_field_has_the_same_number_in_every_file") {
    const auto own = field("snow_albedo", "", "1");
    const auto alone = grib2_parameters(std::vector{own});
    const auto beside = grib2_parameters(std::vector{field("x", "", "1"), own});
    CHECK(alone[0].category == beside[1].category);
    CHECK(alone[0].number == beside[1].number);
  }
}
