// SPDX-License-Identifier: Apache-2.0
// Reads an experiment file: every table and key must be known, every value right, what is missing
// gets its default.
#include "thalweg/settings.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "settings/settings_check.hpp"
#include "settings/settings_list.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

namespace {

std::string file_text(const std::string& path) {
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  if (stream) text << stream.rdbuf();
  // A directory opens, but cannot be read: then errno is set.
  if (!stream || errno != 0) {
    throw Error(Blame::user, fmt::format("experiment file '{}' cannot be read ({}); check its path",
                                         path, std::strerror(errno)));
  }
  return text.str();
}

toml::table parse_toml(const std::string& text, const std::string& file) {
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    throw Error(Blame::user, fmt::format("{} line {}: {}; correct this line (see toml.io)", file,
                                         error.source().begin.line, error.description()));
  }
}

template <typename Item, typename Name>
std::vector<std::string> names_of(const std::vector<Item>& items, Name name) {
  std::vector<std::string> names;
  std::transform(items.begin(), items.end(), std::back_inserter(names), name);
  return names;
}

/// Refuses what is not a table of settings.toml, or not written as it should be.
void check_tables(const toml::table& root, const std::string& file) {
  const auto names = names_of(settings_list(), [](const TableSpec& spec) { return spec.name; });
  for (const auto& [toml_key, node] : root) {
    const std::string name{std::string_view(toml_key)};
    const auto position = std::find(names.begin(), names.end(), name);
    if (position == names.end()) {
      throw Error(
          Blame::user,
          fmt::format("{}: {} '{}' does not exist; choose one of: {}.{}", file,
                      node.is_table() || node.is_array_of_tables() ? "table" : "top-level key",
                      name, fmt::join(names, ", "), did_you_mean(name, names)));
    }
    const bool repeated = settings_list()[position - names.begin()].repeated;
    const toml::array* array = node.as_array();
    if (repeated && !(node.is_array_of_tables() || (array != nullptr && array->empty()))) {
      throw Error(
          Blame::user,
          fmt::format("{}: '{}' must be a list of tables; write [[{}]] on a line of its own", file,
                      name, name));
    }
    if (!repeated && !node.is_table()) {
      throw Error(Blame::user,
                  fmt::format("{}: '{}' must be one table; write [{}] on a line of its own, once",
                              file, name, name));
    }
  }
}

/// `given` may be null: the table is absent.
SettingTable complete_table(const TableSpec& spec, const toml::table* given,
                            const std::string& file) {
  const auto keys = names_of(spec.settings, [](const SettingSpec& setting) { return setting.key; });
  const toml::table none;
  if (given == nullptr) given = &none;
  for (const auto& [toml_key, node] : *given) {
    const std::string key{std::string_view(toml_key)};
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      throw Error(Blame::user,
                  fmt::format("{} [{}]: key '{}' does not exist; choose one of: {}.{}", file,
                              spec.name, key, fmt::join(keys, ", "), did_you_mean(key, keys)));
    }
  }
  std::map<std::string, SettingValue> values;
  for (const SettingSpec& setting : spec.settings) {
    if (const toml::node* node = given->get(setting.key)) {
      values[setting.key] = checked_value(setting, *node, file);
    } else if (setting.default_value) {
      values[setting.key] = *setting.default_value;
    } else {
      throw Error(Blame::user, fmt::format("{} [{}]: {} is missing; add a line '{} = ...'", file,
                                           spec.name, setting.key, setting.key));
    }
  }
  return {spec.name, std::move(values)};
}

/// Streams of the same name would write the same files.
void check_stream_names(const std::vector<SettingTable>& outputs, const std::string& file) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (outputs[i].text("name") == outputs[j].text("name")) {
        throw Error(
            Blame::user,
            fmt::format("{} [[output]]: two streams have the name '{}'; give each its own name",
                        file, outputs[i].text("name")));
      }
    }
  }
}

}  // namespace

Experiment Experiment::read(const std::string& path) {
  return parse(file_text(path), std::filesystem::path(path).filename().string());
}

Experiment Experiment::parse(const std::string& text, const std::string& file) {
  const toml::table root = parse_toml(text, file);
  check_tables(root, file);
  Experiment experiment;
  for (const TableSpec& spec : settings_list()) {
    if (!spec.repeated) {
      experiment.tables.emplace(spec.name, complete_table(spec, root[spec.name].as_table(), file));
    } else if (const toml::array* tables = root[spec.name].as_array()) {
      for (const toml::node& node : *tables) {
        experiment.outputs.push_back(complete_table(spec, node.as_table(), file));
      }
    }
  }
  check_stream_names(experiment.outputs, file);
  return experiment;
}

const SettingTable& Experiment::table(std::string_view name) const {
  const auto found = tables.find(name);
  if (found == tables.end()) {
    throw Error(
        Blame::bug,
        fmt::format("the program asks for table '{}', which settings.toml does not list", name));
  }
  return found->second;
}

}  // namespace thalweg
