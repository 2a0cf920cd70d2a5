// SPDX-License-Identifier: Apache-2.0
// Reads experiments as the library does: one JSON text a line in, one JSON object a line out,
// either
// {"sentence": why it is refused} or {"values": [[table, key, value], ...]}.
#include <fmt/core.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "settings/settings_list.hpp"
#include "thalweg/error.hpp"
#include "thalweg/settings.hpp"

namespace {

using namespace thalweg;

nlohmann::json value_of(const SettingTable& table, const SettingSpec& spec) {
  if (spec.type == "integer") return table.integer(spec.key);
  if (spec.type == "number" || spec.type == "duration") return table.number(spec.key);
  if (spec.type == "flag") return table.flag(spec.key);
  if (spec.type == "texts") return table.texts(spec.key);
  if (spec.type == "integers") return table.integers(spec.key);
  return table.text(spec.key);
}

nlohmann::json read(const std::string& text) {
  try {
    const auto experiment = Experiment::parse(text, "case.toml");
    auto values = nlohmann::json::array();
    const auto add = [&](const SettingTable& table, const TableSpec& spec) {
      for (const auto& setting : spec.settings) {
        values.push_back({spec.name, setting.key, value_of(table, setting)});
      }
    };
    for (const auto& spec : settings_list()) {
      if (!spec.repeated) add(experiment.table(spec.name), spec);
      if (!spec.repeated) continue;
      for (const auto& table : experiment.outputs) add(table, spec);
    }
    return {{"values", values}};
  } catch (const Error& error) {
    return {{"sentence", error.what()}};
  }
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << read(nlohmann::json::parse(line)).dump() << std::endl;
  }
}
