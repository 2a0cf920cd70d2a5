// SPDX-License-Identifier: Apache-2.0
// Which of several failures all ranks hear of.
#include "ranks/agreement.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <optional>
#include <string>

#include "all_ranks.hpp"

using namespace thalweg;

namespace {

std::string heard(const std::optional<Error>& mine) {
  try {
    throw_together(MPI_COMM_WORLD, mine);
  } catch (const Error& error) {
    CHECK(error.blame() == Blame::file_system);
    return fmt::format("{}{}", error.what(), error.follows() ? ", which follows" : "");
  }
  return "";
}

}  // namespace

TEST_CASE("all_ranks_hear_of_the_cause_and_not_of_what_follows_from_it") {
  const bool is_last = world_rank() == world_size() - 1;
  const Error cause(Blame::file_system, "the disk is full");
  const Error consequence(Blame::file_system, "another writer failed", true);
  CHECK(heard(is_last ? cause : consequence) == "the disk is full");
  CHECK(heard(consequence) == "another writer failed, which follows");
  CHECK(heard(is_last ? std::optional(cause) : std::nullopt) == "the disk is full");
  CHECK(heard(std::nullopt) == "");
}
