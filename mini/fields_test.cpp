// SPDX-License-Identifier: Apache-2.0
// Facts about the table of output fields: its volume, and that derived fields are what they say.
#include "fields.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "initial_state.hpp"
#include "thalweg/decomposition.hpp"

using namespace thalweg;
using namespace thalweg::mini;

namespace {

Derived::Values values_of(std::string_view name, Derived& derived) {
  const auto& table = field_table();
  const auto row = std::find_if(table.begin(), table.end(),
                                [&](const FieldRow& each) { return each.info.name == name; });
  REQUIRE(row != table.end());
  return row->compute(derived);
}

}  // namespace

TEST_CASE("one_output_of_thirty_layers_is_388_values_per_cell") {
  double values_per_cell = 0.0;  // as ICON's: a field that makes it more is on_request
  for (const FieldInfo& field : output_fields(30)) {
    if (field.on_request) continue;
    // A large grid has 3/2 edges and 1/2 vertex per cell.
    const double points = field.place == Place::cell ? 1.0 : field.place == Place::edge ? 1.5 : 0.5;
    values_per_cell += points * field.levels;
  }
  CHECK(values_per_cell == 388.0);
}

TEST_CASE("every_field_has_a_name_of_its_own_units_and_a_long_name") {
  std::set<std::string> names;
  for (const FieldInfo& field : output_fields(2)) {
    CHECK(names.insert(field.name).second);
    CHECK(!field.units.empty());
    CHECK(!field.long_name.empty());
  }
}

TEST_CASE("reconstructed_wind_of_rotation_converges_everywhere") {
  double last = 1e9;
  for (const char* name : {"R2B1", "R2B2", "R2B3"}) {
    const Mesh mesh = build_mesh(Decomposition(Grid::parse(name), 1, "curve"), 0, 1);
    const Stencils stencils(mesh);
    const Case steady = make_steady();
    const std::vector<double> ground = ground_height_m(mesh, steady);
    const State state = initial_state(mesh, steady, 1, 0.0, 1);
    Derived derived(mesh, stencils, ground, state);
    const auto east = values_of("ua", derived), north = values_of("va", derived);
    double worst = 0.0;
    for (int c = 0; c < mesh.cell.total(); ++c) {
      const double wind = steady.eastward_wind_m_s(latitude_rad(mesh.cell_centre[c]));
      worst = std::max({worst, std::abs(east[c] - wind), std::abs(north[c])});
    }
    CHECK(worst < 0.6 * last);
    last = worst;
  }
  CHECK(last < 0.01);  // of 38.6 m/s
}

TEST_CASE("absolute_vorticity_of_rest_is_the_coriolis_parameter") {
  const Mesh mesh = build_mesh(Decomposition(Grid::parse("R2B1"), 1, "curve"), 0, 1);
  const Stencils stencils(mesh);
  const Case steady = make_steady();
  const std::vector<double> ground = ground_height_m(mesh, steady);
  State state = initial_state(mesh, steady, 2, 0.0, 1);
  std::fill(state[Layers::velocity].begin(), state[Layers::velocity].end(), 0.0);
  Derived derived(mesh, stencils, ground, state);
  const auto vorticity = values_of("vor_abs", derived);
  const auto coriolis = values_of("coriolis", derived);
  for (int c = 0; c < mesh.cell.total(); ++c) {
    CHECK(vorticity[2 * c] == coriolis[c]);
    CHECK(vorticity[2 * c + 1] == coriolis[c]);
  }
}

TEST_CASE("reductions_over_levels_do_what_their_names_say") {
  const std::vector<double> values{1.0, 4.0, -2.0, 5.0, 5.0, 5.0};  // [2][3]
  const auto reduce = [&](Reduction reduction) {
    std::vector<double> out(2);
    reduce_levels({2, 3}, reduction, values, out);
    return out;
  };
  CHECK(reduce(Reduction::mean) == std::vector<double>{1.0, 5.0});
  CHECK(reduce(Reduction::sum) == std::vector<double>{3.0, 15.0});
  CHECK(reduce(Reduction::max) == std::vector<double>{4.0, 5.0});
  CHECK(reduce(Reduction::min) == std::vector<double>{-2.0, 5.0});
  CHECK(reduce(Reduction::first) == std::vector<double>{1.0, 5.0});
}
