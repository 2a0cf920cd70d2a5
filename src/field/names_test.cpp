// SPDX-License-Identifier: Apache-2.0
// Which names are refused, and how the sentence shows them.
#include "field/names.hpp"

#include <doctest/doctest.h>

#include "thalweg/error.hpp"

using namespace thalweg;

namespace {

std::string refusal(const std::string& name) {
  try {
    check_name("field", name, longest_field_name);
  } catch (const Error& error) {
    CHECK(error.blame() == Blame::user);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("names_that_every_container_holds_pass") {
  for (const auto* name : {"ta", "T_2M", "2t", "_x", "a-b.c", "geopotential height", "höhe"}) {
    CHECK(refusal(name) == "");
  }
  CHECK(refusal(std::string(255, 'x')) == "");
}

TEST_CASE("names_that_some_container_cannot_hold_are_refused_by_name") {
  const auto has = [](const std::string& name, const char* part) {
    CAPTURE(name);
    CHECK(refusal(name).find(part) != std::string::npos);
  };
  has("a/b", "field 'a/b': its name may not contain '/'");
  has("../x", "field '../x': its name may not contain '/'");
  has("..", "field '..': its name must begin with a letter");
  has("", "field '': its name must begin with a letter");
  has("trailing ", "field 'trailing ': its name may not end with a blank");
  has("bell\a", "field 'bell\\x07': its name may not contain '/' or control characters");
  has("t\xff", "field 't\\xff': its name is not UTF-8");
  has(std::string(300, 'x'), "...': its name has 300 bytes; it may have 255");
}
