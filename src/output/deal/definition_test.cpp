// SPDX-License-Identifier: Apache-2.0
// Facts about the variables that a stream asks for.
#include "output/deal/definition.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace thalweg;

TEST_CASE("a_field_on_request_is_written_where_a_stream_names_it_and_nowhere_else") {
  const FieldInfo wind{"ua", "", "eastward wind", "m s-1", Place::cell, 4};
  const FieldInfo ground{"ground", "", "height", "m", Place::cell, 1};
  FieldInfo asked{"vor_abs", "", "absolute vorticity", "s-1", Place::cell, 4};
  asked.on_request = true;
  const std::vector<FieldInfo> fields{wind, asked, ground};
  const auto chosen = [&](std::vector<std::string> variables) {
    StreamSettings stream;
    stream.variables = std::move(variables);
    return resolve_variables(stream, fields);
  };
  CHECK(chosen({"all"}) == std::vector<int>{0, 2});
  CHECK(chosen({"group:all"}) == std::vector<int>{0, 2});
  CHECK(chosen({"group:3d"}) == std::vector<int>{0});
  CHECK(chosen({"vor_abs"}) == std::vector<int>{1});
  CHECK(chosen({"all", "vor_abs"}) == std::vector<int>{0, 1, 2});
}

TEST_CASE("a_group_without_fields_is_no_unknown_variable") {
  StreamSettings stream;
  stream.name = "sfc";
  stream.variables = {"group:3d"};
  const std::vector<FieldInfo> flat{{"ts", "", "temperature", "K", Place::cell, 1}};
  CHECK_THROWS_WITH(resolve_variables(stream, flat),
                    "[[output]] 'sfc': 'group:3d' names no field: none has several levels");
  stream.variables = {"ts", "group:2d"};
  const std::vector<FieldInfo> deep{{"ts", "", "temperature", "K", Place::cell, 4}};
  CHECK_THROWS_WITH(resolve_variables(stream, deep),
                    "[[output]] 'sfc': 'group:2d' names no field: none has one level only");
}
