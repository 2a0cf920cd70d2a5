// SPDX-License-Identifier: Apache-2.0
// Facts about following one value.
#include "thalweg/trace.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "thalweg/error.hpp"
#include "timing/trace_parse.hpp"

using namespace thalweg;

TEST_CASE("a_trace_target_is_field_cell_level_step") {
  const TraceTarget target = parse_trace_target("ta:4711:7:3");
  CHECK(target.active);
  CHECK(target.field == "ta");
  CHECK(target.point == 4711);
  CHECK(target.level == 7);
  CHECK(target.step == 3);
}

TEST_CASE("a_malformed_trace_target_is_the_users_error") {
  for (const char* text : {"ta", "ta:1:1", "ta:1:1:1:1", ":1:1:1", "ta:x:1:1", "ta:-1:1:1",
                           "ta:1:0:1", "ta:1:1:-1", "ta:1:1:"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_trace_target(text), Error);
  }
}

TEST_CASE("a_trace_line_names_the_source_file_relative_to_the_project") {
  const auto here = std::source_location::current();
  const auto line = nlohmann::json::parse(trace_line("mode", 2, -1, 0.1, "a \"detail\"", here));
  const auto& stop = line.at("trace");
  CHECK(stop["stop"] == "mode");
  CHECK(stop["file"] == "src/timing/trace_test.cpp");
  CHECK(stop["line"] == here.line());
  CHECK(stop["rank"] == 2);
  CHECK(stop["local"] == -1);
  CHECK(stop["value"] == 0.1);
  CHECK(stop["detail"] == "a \"detail\"");
}
