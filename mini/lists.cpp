// SPDX-License-Identifier: Apache-2.0
// Prints the tables of the library and of the model; nothing is listed twice.
#include "lists.hpp"

#include <nlohmann/json.hpp>

#include "equations.hpp"
#include "thalweg/output.hpp"
#include "thalweg/restart.hpp"

namespace thalweg::mini {

std::string fields_as_json() {
  auto list = nlohmann::json::array();
  constexpr int layers = 100;  // any number that is told from 1
  for (const Equations& equations : all_equations()) {
    for (const OutputRow& row : equations.rows(layers)) {
      list.push_back({{"name", row.info.name},
                      {"standard_name", row.info.standard_name},
                      {"long_name", row.info.long_name},
                      {"units", row.info.units},
                      {"place", place_names[row.info.place]},
                      {"dimensions", row.info.levels == 1 ? 2 : 3},
                      {"on_request", row.info.on_request},
                      {"half_levels", row.info.half_levels},
                      {"equations", equations.name}});
    }
  }
  return list.dump(1);
}

std::string modes_as_json() {
  auto list = nlohmann::ordered_json::array();
  const auto add = [&](const char* kind, const std::vector<ModeInfo>& modes) {
    for (const auto& mode : modes) {
      list.push_back({{"kind", kind},
                      {"name", mode.name},
                      {"meaning", mode.meaning},
                      {"ranks", mode.ranks},
                      {"own_files", mode.own_files}});
    }
  };
  add("output mode", output_modes());
  add("restart mode", {{"none", "no checkpoints", "none", false}});
  add("restart mode", restart_modes());
  for (const auto& container : output_containers()) {
    list.push_back({{"kind", "container"},
                    {"name", container.name},
                    {"meaning", container.meaning},
                    {"way", container.way},
                    {"suffix", container.suffix},
                    {"reader", container.reader},
                    {"parts", container.parts}});
  }
  return list.dump(1);
}

}  // namespace thalweg::mini
