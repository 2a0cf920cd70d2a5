// SPDX-License-Identifier: Apache-2.0
// Do all ranks say the same? Compared by hashes; a difference is named with the ranks that differ.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mpi.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ranks/agreement.hpp"

namespace thalweg {

/// One thing that all ranks must have alike, as text: {"levels of the fields", "ta 5, ps 1"}.
struct Aspect {
  const char* name;
  std::string text;
};

/// Collective over comm, with the same names on all ranks: "" if all texts are the same, else one
/// clause, the same on all ranks: "the ranks differ in the levels of the fields: ranks 3 and 4 say
/// other than the rest".
std::string difference_among(MPI_Comm comm, std::span<const Aspect> aspects, const WaitFor& wait);

/// Every setting that visit_settings of its header visits, but for the directory of a node's own.
template <class Settings>
std::vector<Aspect> aspects_of(const Settings& settings) {
  std::vector<Aspect> aspects;
  visit_settings(settings, [&](const char* name, const auto& value) {
    if (std::string_view(name) == "[io] spill_directory") return;
    if constexpr (requires { value.ms(); }) {
      aspects.push_back({name, fmt::format("{}", value.ms())});
    } else {
      aspects.push_back({name, fmt::format("{}", value)});
    }
  });
  return aspects;
}

/// Collective over comm, within the time limit of wait.hpp: throws the same Error(user) on all
/// ranks if some settings differ, with the names of all that do.
void require_same_settings(MPI_Comm comm, std::span<const Aspect> settings);

}  // namespace thalweg
