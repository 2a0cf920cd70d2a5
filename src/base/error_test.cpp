// SPDX-License-Identifier: Apache-2.0
// Facts about error sentences: which name is proposed, and the exit codes.
#include "thalweg/error.hpp"

#include <doctest/doctest.h>

using thalweg::Blame;
using thalweg::closest_name;
using thalweg::did_you_mean;
using thalweg::Error;

TEST_CASE("closest_name_forgives_one_slip_in_three_letters") {
  const std::vector<std::string> modes{"serial", "async", "shared_file"};
  CHECK(closest_name("asynch", modes) == "async");
  CHECK(closest_name("sreial", modes) == "serial");  // swapped neighbours count once
  CHECK(closest_name("Serial", modes) == "serial");  // case does not count
  CHECK(closest_name("shard_fil", modes) == "shared_file");
}

TEST_CASE("closest_name_proposes_nothing_far_away") {
  const std::vector<std::string> modes{"serial", "async"};
  CHECK(closest_name("banana", modes) == "");
  CHECK(closest_name("", modes) == "");
  CHECK(closest_name("io", {"to", "in"}) == "");  // two letters are too few to guess from
  CHECK(closest_name("x", {}) == "");
}

TEST_CASE("closest_name_prefers_the_nearest_and_then_the_first") {
  CHECK(closest_name("ranks", {"bank", "rank", "banks"}) == "rank");
  CHECK(closest_name("level", {"levels", "level"}) == "level");
}

TEST_CASE("did_you_mean_is_ready_to_append") {
  CHECK(did_you_mean("asynch", {"async"}) == " Did you mean 'async'?");
  CHECK(did_you_mean("banana", {"async"}) == "");
}

TEST_CASE("only_our_own_failures_exit_with_1") {
  CHECK(Error(Blame::user, "x").exit_code() == 2);
  CHECK(Error(Blame::file_system, "x").exit_code() == 2);
  CHECK(Error(Blame::bug, "x").exit_code() == 1);
}
