// SPDX-License-Identifier: Apache-2.0
// The list of equations. To add some: write a Core, and its line here; its name and cases are words
// of settings.toml.
#include "equations.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "primitive/primitive_core.hpp"
#include "shallow_core.hpp"
#include "thalweg/error.hpp"

namespace thalweg::mini {
namespace {

using Word = std::string_view;

constexpr std::array<Word, 3> shallow_cases{"steady", "mountain", "jet"};
constexpr std::array<Word, 2> primitive_cases{"baroclinic_wave", "baroclinic_steady"};
constexpr std::array<Word, 1> not_shallow{"hyperdiffusion"};
constexpr std::array<Word, 4> not_primitive{"depth_spread", "tracers", "apvm", "viscosity"};

constexpr std::array list{
    Equations{"shallow_water", "the shallow-water equations", "shallow water", shallow_cases,
              not_shallow, 1, shallow_halo_depth, make_shallow_core, shallow_rows},
    Equations{"primitive", "the primitive equations", "hydrostatic primitive equations",
              primitive_cases, not_primitive, 2, primitive_halo_depth, make_primitive_core,
              primitive_rows},
};

const Equations& named(Word name) {
  return *std::find_if(list.begin(), list.end(),
                       [&](const Equations& each) { return each.name == name; });
}

bool has(std::span<const Word> words, Word word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

void check_case(const Equations& equations, Word word) {
  if (has(equations.cases, word)) return;
  const auto theirs = std::find_if(list.begin(), list.end(),
                                   [&](const Equations& each) { return has(each.cases, word); });
  throw Error(Blame::user,
              fmt::format("[model] case: '{}' is one of {}; set equations = \"{}\", or choose one "
                          "of: {}",
                          word, theirs->words, theirs->name, fmt::join(equations.cases, ", ")));
}

}  // namespace

std::span<const Equations> all_equations() { return list; }

const Equations& equations_of(const Experiment& experiment) {
  const SettingTable& model = experiment.table("model");
  const Equations& equations = named(model.text("equations"));
  check_case(equations, model.text("case"));
  // A run's own record has all settings: only what differs from the default was asked for.
  const auto defaults = Experiment::parse("", "defaults").table("model").values();
  for (const Word key : equations.others) {
    const std::string name(key);
    if (model.values().at(name) == defaults.at(name)) continue;
    throw Error(Blame::user,
                fmt::format("[model] {}: {} have no such setting; leave it out, or choose other "
                            "equations than \"{}\"",
                            name, equations.words, equations.name));
  }
  if (model.integer("levels") < equations.least_levels) {
    throw Error(Blame::user,
                fmt::format("[model] levels: {} need at least {}, not {}", equations.words,
                            equations.least_levels, model.integer("levels")));
  }
  return equations;
}

std::vector<FieldInfo> output_fields(const Experiment& experiment) {
  const auto levels = static_cast<int>(experiment.table("model").integer("levels"));
  std::vector<FieldInfo> fields;
  for (const OutputRow& row : equations_of(experiment).rows(levels)) fields.push_back(row.info);
  return fields;
}

}  // namespace thalweg::mini
