// SPDX-License-Identifier: Apache-2.0
#include "format/grib2_table.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <tuple>

using namespace thalweg;

namespace {

FieldInfo field(const std::string& name, const std::string& standard_name, const std::string& units,
                Place place = Place::cell) {
  return {name, standard_name, "", units, place, 3, ValueType::float64};
}
bool is_local(const Grib2Parameter& parameter) { return parameter.category >= 192; }

}  // namespace

TEST_SUITE("grib2_table") {
  TEST_CASE("standard_names_count_only_in_the_units_of_grib") {
    const std::vector<FieldInfo> fields{field("t", "air_temperature", "K"),
                                        field("t2", "air_temperature", "degC"),
                                        field("vn", "", "m s-1"), field("vn", "", "knots")};
    const auto parameters = grib2_parameters(fields);
    CHECK(parameters[0].category == 0);
    CHECK(parameters[0].number == 0);
    CHECK(is_local(parameters[1]));
    CHECK(parameters[2].number == 34);
    CHECK(is_local(parameters[3]));
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
