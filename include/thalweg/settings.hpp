// SPDX-License-Identifier: Apache-2.0
// Reads an experiment.toml against settings.toml, the one list of settings.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace thalweg {

/// A setting's value after checking; durations are seconds (double).
using SettingValue = std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>,
                                  std::vector<std::int64_t>>;

/// One table of an experiment with every setting present (given or default).
class SettingTable {
 public:
  SettingTable(std::string name, std::map<std::string, SettingValue> values)
      : name_(std::move(name)), values_(std::move(values)) {}
  bool flag(std::string_view key) const;
  std::int64_t integer(std::string_view key) const;
  double number(std::string_view key) const;  ///< also seconds of a duration
  const std::string& text(std::string_view key) const;
  const std::vector<std::string>& texts(std::string_view key) const;
  const std::vector<std::int64_t>& integers(std::string_view key) const;
  /// All settings by key.
  const std::map<std::string, SettingValue>& values() const { return values_; }

 private:
  const SettingValue& at(std::string_view key) const;
  std::string name_;
  std::map<std::string, SettingValue> values_;
};

/// An experiment: [grid] [model] [time] [[output]] [io] [machine], complete and checked.
struct Experiment {
  /// Throws Error(user): one sentence with file, table, key, what is allowed, what was probably
  /// meant.
  static Experiment read(const std::string& path);
  /// The same from text; `name` stands for the file in sentences.
  static Experiment parse(const std::string& text, const std::string& name);
  const SettingTable& table(std::string_view name) const;
  std::vector<SettingTable> outputs;  ///< one per [[output]]
  std::map<std::string, SettingTable, std::less<>> tables;
};

/// "PT1H", "P1DT6H", "PT90S" or a number of seconds as text -> seconds. Throws Error(user).
double parse_duration_s(std::string_view text);

}  // namespace thalweg
