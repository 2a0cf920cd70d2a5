// SPDX-License-Identifier: Apache-2.0
// The list of everything the output benchmark compares.
#pragma once

#include <optional>
#include <span>

#include "measuring.hpp"
#include "ours.hpp"
#include "reading.hpp"

namespace thalweg::bench {

/// A rival (`peer`) or one of our own (`ours`).
struct Method {
  const char* name;
  const char* meaning;
  void (*peer)(Session&, int step);
  std::optional<Ours> ours;
  Check check;
  int most_steps = 1000;  ///< slow methods write fewer
};

std::span<const Method> methods();

/// Rivals our methods are compared with in the same repetition. Several names: the fastest of them.
struct Rival {
  const char* name;
  std::vector<const char*> methods;
};
const std::vector<Rival>& rivals();

/// Sets up, writes, closes. Throws thalweg::Error, the same on all ranks, where one of our modes
/// refuses.
Trial run_method(Session& session, const Method& method, int steps);

}  // namespace thalweg::bench
