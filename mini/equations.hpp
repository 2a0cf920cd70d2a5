// SPDX-License-Identifier: Apache-2.0
// Every set of equations that the mini-model can solve, and what an experiment may ask of each.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core.hpp"
#include "stencils.hpp"
#include "thalweg/settings.hpp"

namespace thalweg::mini {

/// A value of [model] equations.
struct Equations {
  std::string_view name;
  std::string_view words;                    ///< in a sentence
  std::string_view source;                   ///< in the global attribute of files
  std::span<const std::string_view> cases;   ///< of [model] case
  std::span<const std::string_view> others;  ///< settings of [model] that are not for these
  int least_levels;
  int (*halo_depth)(const SettingTable& model);
  /// Keeps references to mesh and stencils.
  std::unique_ptr<Core> (*make)(const SettingTable& model, const Mesh& mesh,
                                const Stencils& stencils);
  std::vector<OutputRow> (*rows)(int levels);
};

std::span<const Equations> all_equations();

/// Those of an experiment. Throws Error(user), with one sentence, if its case or one of its
/// settings belongs to other equations.
const Equations& equations_of(const Experiment& experiment);

/// Descriptions of all output fields of the experiment's equations.
std::vector<FieldInfo> output_fields(const Experiment& experiment);

}  // namespace thalweg::mini
