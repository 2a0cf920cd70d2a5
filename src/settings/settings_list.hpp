// SPDX-License-Identifier: Apache-2.0
// The entries of settings.toml as types: which tables and settings there are and what they allow.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "thalweg/settings.hpp"

namespace thalweg {

/// One [[setting]] of settings.toml.
struct SettingSpec {
  std::string table, key;
  std::string type;  ///< text, integer, number, flag, duration, date, grid, texts, integers
  std::vector<std::string> allowed;  ///< permitted words; empty = any
  /// The range of a number or of each item of a list. Whole numbers below 2^53 are exact.
  std::optional<double> minimum, exclusive_minimum, maximum;
  std::optional<SettingValue> default_value;  ///< nothing: must be given
};

/// One [[table]] of settings.toml with its settings, in the order of the file.
struct TableSpec {
  std::string name;
  bool repeated = false;  ///< written [[name]]
  std::vector<SettingSpec> settings;
};

/// All tables, read once from the embedded text. A mistake in settings.toml throws Error(bug).
const std::vector<TableSpec>& settings_list();

}  // namespace thalweg
