// SPDX-License-Identifier: Apache-2.0
// Reads the embedded text of settings.toml.
#include "settings/settings_list.hpp"

#include <fmt/core.h>
#include <toml++/toml.h>

#include <algorithm>

#include "settings/settings_check.hpp"
#include "settings/settings_text.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

namespace {

std::string required_text(const toml::table& entry, std::string_view key) {
  if (const auto text = entry[key].value<std::string>()) return *text;
  throw Error(Blame::bug, fmt::format("settings.toml: an entry has no '{}'; add it", key));
}

SettingSpec read_setting(const toml::table& entry) {
  SettingSpec spec;
  spec.table = required_text(entry, "table");
  spec.key = required_text(entry, "key");
  spec.type = entry["type"].value_or(std::string("text"));
  required_text(entry, "meaning");
  if (const toml::array* words = entry["allowed"].as_array()) {
    for (const toml::node& word : *words) {
      const toml::table* about = word.as_table();
      if (about == nullptr) throw Error(Blame::bug, "settings.toml: a word is no table; mend it");
      required_text(*about, "meaning");
      spec.allowed.push_back(required_text(*about, "word"));
    }
  }
  spec.minimum = entry["minimum"].value<double>();
  spec.exclusive_minimum = entry["exclusive_minimum"].value<double>();
  spec.maximum = entry["maximum"].value<double>();
  // A default obeys the same rules as a given value.
  if (const toml::node* node = entry.get("default")) {
    spec.default_value = checked_value(spec, *node, "settings.toml");
  }
  return spec;
}

std::vector<TableSpec> read_list() {
  const toml::table root =
      toml::parse(std::string_view(settings_text), std::string_view("settings.toml"));
  std::vector<TableSpec> tables;
  for (const toml::node& node : *root["table"].as_array()) {
    const toml::table& entry = *node.as_table();
    tables.push_back({required_text(entry, "name"), entry["repeated"].value_or(false), {}});
  }
  for (const toml::node& node : *root["setting"].as_array()) {
    SettingSpec spec = read_setting(*node.as_table());
    const auto table = std::find_if(tables.begin(), tables.end(), [&](const TableSpec& candidate) {
      return candidate.name == spec.table;
    });
    if (table == tables.end()) {
      throw Error(Blame::bug,
                  fmt::format("settings.toml: setting '{}' names table '{}', which has no "
                              "[[table]] entry; add one",
                              spec.key, spec.table));
    }
    table->settings.push_back(std::move(spec));
  }
  return tables;
}

}  // namespace

const std::vector<TableSpec>& settings_list() {
  static const std::vector<TableSpec> tables = read_list();
  return tables;
}

}  // namespace thalweg
