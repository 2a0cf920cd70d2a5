// SPDX-License-Identifier: Apache-2.0
// One check per type of setting; each failure is one sentence.
#include "base/settings_check.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include "base/durations.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

namespace {

/// What is being checked, for sentences.
struct Place {
  const SettingSpec& spec;
  const std::string& file;

  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(Blame::user, fmt::format("{} [{}]: {} {}", file, spec.table, spec.key, why));
  }
};

std::string as_written(const toml::node& node) {
  if (const auto text = node.value_exact<std::string>()) return "'" + *text + "'";
  if (node.is_array()) return "a list";
  if (node.is_table()) return "a table";
  std::ostringstream stream;
  node.visit([&](const auto& value) { stream << value; });
  return stream.str();
}

[[noreturn]] void wrong_type(const Place& place, const toml::node& node, std::string_view wanted) {
  place.refuse(fmt::format("is {}, but must be {}", as_written(node), wanted));
}

void check_minimum(const Place& place, double value, std::string_view unit = "") {
  const SettingSpec& spec = place.spec;
  if (spec.minimum && value < *spec.minimum) {
    place.refuse(
        fmt::format("is {:g}{}, but must be at least {:g}{}", value, unit, *spec.minimum, unit));
  }
  if (spec.exclusive_minimum && value <= *spec.exclusive_minimum) {
    place.refuse(fmt::format("is {:g}{}, but must be larger than {:g}{}", value, unit,
                             *spec.exclusive_minimum, unit));
  }
}

std::string check_word(const Place& place, const std::string& word) {
  const std::vector<std::string>& allowed = place.spec.allowed;
  if (allowed.empty() || std::find(allowed.begin(), allowed.end(), word) != allowed.end())
    return word;
  place.refuse(fmt::format("'{}' does not exist; choose one of: {}.{}", word,
                           fmt::join(allowed, ", "), did_you_mean(word, allowed)));
}

SettingValue check_text(const Place& place, const toml::node& node) {
  if (const auto text = node.value_exact<std::string>()) return check_word(place, *text);
  wrong_type(place, node, "a text in quotes");
}

SettingValue check_integer(const Place& place, const toml::node& node) {
  const auto value = node.value_exact<std::int64_t>();
  if (!value) wrong_type(place, node, "a whole number");
  check_minimum(place, static_cast<double>(*value));
  return *value;
}

SettingValue check_number(const Place& place, const toml::node& node) {
  if (!node.is_number()) wrong_type(place, node, "a number");
  const double value = *node.value<double>();
  if (!std::isfinite(value)) wrong_type(place, node, "a number");
  check_minimum(place, value);
  return value;
}

SettingValue check_flag(const Place& place, const toml::node& node) {
  if (const auto value = node.value_exact<bool>()) return *value;
  wrong_type(place, node, "true or false");
}

SettingValue check_duration(const Place& place, const toml::node& node) {
  constexpr std::string_view wanted =
      "a duration, for example \"PT1H\", \"P1DT6H\" or a number of seconds";
  std::optional<double> length_s;
  if (node.is_number()) length_s = node.value<double>();
  if (const auto text = node.value_exact<std::string>()) length_s = duration_s(*text);
  if (!length_s || !std::isfinite(*length_s)) wrong_type(place, node, wanted);
  check_minimum(place, *length_s, " s");
  if (*length_s < 0.0)
    place.refuse(fmt::format("is {:g} s, but a duration is never negative", *length_s));
  return *length_s;
}

SettingValue check_date(const Place& place, const toml::node& node) {
  std::optional<std::string> date;
  if (const auto text = node.value_exact<std::string>()) date = normal_date(*text);
  if (node.is_date() || node.is_date_time()) date = normal_date(as_written(node));
  if (!date) wrong_type(place, node, "a date in UTC, for example \"2000-01-01T00:00:00Z\"");
  return *date;
}

/// RnBk with n >= 1: the name only; its size is checked where the grid is built.
SettingValue check_grid(const Place& place, const toml::node& node) {
  const std::string name = node.value_exact<std::string>().value_or("");
  constexpr std::string_view digits = "0123456789";
  const std::size_t b = name.find('B');
  const bool good = !name.empty() && name[0] == 'R' && b != std::string::npos && b > 1 &&
                    b + 1 < name.size() && name.find_first_not_of(digits, 1) == b &&
                    name.find_first_not_of(digits, b + 1) == std::string::npos &&
                    name.find_first_not_of('0', 1) < b;
  if (!good) wrong_type(place, node, "a grid RnBk with n >= 1 and k >= 0, for example \"R2B4\"");
  return name;
}

SettingValue check_texts(const Place& place, const toml::node& node) {
  constexpr std::string_view wanted = "a list of texts, for example [\"ta\", \"ua\"]";
  const toml::array* array = node.as_array();
  if (array == nullptr) wrong_type(place, node, wanted);
  std::vector<std::string> texts;
  for (const toml::node& item : *array) {
    const auto text = item.value_exact<std::string>();
    if (!text) wrong_type(place, item, wanted);
    texts.push_back(check_word(place, *text));
  }
  return texts;
}

SettingValue check_integers(const Place& place, const toml::node& node) {
  constexpr std::string_view wanted = "a list of whole numbers, for example [1, 2, 3]";
  const toml::array* array = node.as_array();
  if (array == nullptr) wrong_type(place, node, wanted);
  std::vector<std::int64_t> integers;
  for (const toml::node& item : *array) {
    const auto value = item.value_exact<std::int64_t>();
    if (!value) wrong_type(place, item, wanted);
    check_minimum(place, static_cast<double>(*value));
    integers.push_back(*value);
  }
  return integers;
}

// Every type a setting can have. To add one: write its check and add its line here.
struct Type {
  std::string_view name;
  SettingValue (*check)(const Place&, const toml::node&);
};
constexpr std::array types{
    Type{"text", check_text}, Type{"integer", check_integer},   Type{"number", check_number},
    Type{"flag", check_flag}, Type{"duration", check_duration}, Type{"date", check_date},
    Type{"grid", check_grid}, Type{"texts", check_texts},       Type{"integers", check_integers},
};

}  // namespace

SettingValue checked_value(const SettingSpec& spec, const toml::node& node,
                           const std::string& file) {
  const Place place{spec, file};
  for (const Type& type : types) {
    if (type.name == spec.type) return type.check(place, node);
  }
  throw Error(Blame::bug,
              fmt::format("settings.toml: type '{}' of {} does not exist", spec.type, spec.key));
}

}  // namespace thalweg
