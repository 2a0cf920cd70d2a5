// SPDX-License-Identifier: Apache-2.0
// One check per type of setting; each failure is one sentence.
#include "settings/settings_check.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include "settings/durations.hpp"
#include "thalweg/error.hpp"
#include "thalweg/model_time.hpp"

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

/// In quotes. Control characters are written as JSON does: a sentence stays on its line.
std::string quoted(const std::string& text) {
  std::string shown = "'";
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (code < 0x20 || code == 0x7f) {
      shown += fmt::format("\\u{:04x}", code);
    } else {
      shown += letter;
    }
  }
  return shown + "'";
}

std::string as_written(const toml::node& node) {
  if (const auto text = node.value_exact<std::string>()) return quoted(*text);
  if (const auto* list = node.as_array()) return list->empty() ? "an empty list" : "a list";
  if (node.is_table()) return "a table";
  if (const auto number = node.value_exact<double>()) {
    const auto shown = fmt::format("{}", *number);
    const bool whole = shown.find_first_not_of("-0123456789") == shown.npos;
    return whole ? shown + ".0" : shown;
  }
  std::ostringstream stream;
  node.visit([&](const auto& value) { stream << value; });
  return stream.str();
}

[[noreturn]] void wrong_type(const Place& place, const toml::node& node, std::string_view wanted) {
  place.refuse(fmt::format("is {}, but must be {}", as_written(node), wanted));
}

/// Twelve digits tell any two values apart that are not meant to be the same.
std::string shown(double value) { return fmt::format("{:.12g}", value); }
std::string shown(std::int64_t value) { return fmt::format("{}", value); }

/// The number is in the range of the setting. Integers are compared and shown as such.
template <typename Number>
void check_range(const Place& place, Number value, std::string_view unit = "") {
  const SettingSpec& spec = place.spec;
  const auto compare = [&](bool good, std::string_view word, double bound) {
    if (good) return;
    place.refuse(fmt::format("is {}{}, but must be {} {}{}", shown(value), unit, word,
                             shown(static_cast<Number>(bound)), unit));
  };
  if (const auto bound = spec.minimum) {
    compare(value >= static_cast<Number>(*bound), "at least", *bound);
  }
  if (const auto bound = spec.exclusive_minimum) {
    compare(value > static_cast<Number>(*bound), "larger than", *bound);
  }
  if (const auto bound = spec.maximum) {
    compare(value <= static_cast<Number>(*bound), "at most", *bound);
  }
}

std::string check_word(const Place& place, const std::string& word) {
  const std::vector<std::string>& allowed = place.spec.allowed;
  if (allowed.empty() || std::find(allowed.begin(), allowed.end(), word) != allowed.end())
    return word;
  place.refuse(fmt::format("{} does not exist; choose one of: {}.{}", quoted(word),
                           fmt::join(allowed, ", "), did_you_mean(word, allowed)));
}

SettingValue check_text(const Place& place, const toml::node& node) {
  if (const auto text = node.value_exact<std::string>()) return check_word(place, *text);
  wrong_type(place, node, "a text in quotes");
}

SettingValue check_integer(const Place& place, const toml::node& node) {
  const auto value = node.value_exact<std::int64_t>();
  if (!value) wrong_type(place, node, "a whole number without point and exponent");
  check_range(place, *value);
  return *value;
}

/// Whole or not, finite. toml++ itself refuses to make a double of a whole number above 2^53.
std::optional<double> finite_number(const toml::node& node) {
  if (const auto whole = node.value_exact<std::int64_t>()) return static_cast<double>(*whole);
  const auto value = node.value_exact<double>();
  return value && std::isfinite(*value) ? value : std::nullopt;
}

SettingValue check_number(const Place& place, const toml::node& node) {
  const auto value = finite_number(node);
  if (!value) wrong_type(place, node, "a number");
  check_range(place, *value);
  return *value;
}

SettingValue check_flag(const Place& place, const toml::node& node) {
  if (const auto value = node.value_exact<bool>()) return *value;
  wrong_type(place, node, "true or false");
}

SettingValue check_duration(const Place& place, const toml::node& node) {
  constexpr std::string_view wanted =
      "a duration, for example \"PT1H\", \"P1DT6H\" or a number of seconds; months and years "
      "have no fixed length: write days, as \"P30D\"";
  auto length_s = finite_number(node);
  if (const auto text = node.value_exact<std::string>()) length_s = duration_s(*text);
  if (!length_s || !std::isfinite(*length_s)) wrong_type(place, node, wanted);
  check_range(place, *length_s, " s");
  const auto length = ModelTime::at(*length_s);
  if (!length || (*length == ModelTime() && *length_s != 0.0)) {
    place.refuse(
        fmt::format("is {} s, but a duration is a whole number of milliseconds", shown(*length_s)));
  }
  return *length_s;
}

SettingValue check_date(const Place& place, const toml::node& node) {
  std::optional<std::string> date;
  if (const auto text = node.value_exact<std::string>()) date = normal_date(*text);
  if (node.is_date() || node.is_date_time()) date = normal_date(as_written(node));
  if (!date) wrong_type(place, node, "a date in UTC, for example \"2000-01-01T00:00:00Z\"");
  return *date;
}

/// RnBk with n >= 1 and fewer cells than a 32-bit index can count.
SettingValue check_grid(const Place& place, const toml::node& node) {
  const std::string name = node.value_exact<std::string>().value_or("");
  constexpr std::string_view digits = "0123456789";
  const std::size_t b = name.find('B');
  const bool good =
      !name.empty() && name[0] == 'R' && b != name.npos && (b == 2 || b == 3) &&
      (name.size() == b + 2 || name.size() == b + 3) && name.find_first_not_of(digits, 1) == b &&
      name.find_first_not_of(digits, b + 1) == name.npos && name.find_first_not_of('0', 1) < b;
  if (!good) {
    wrong_type(place, node,
               "a grid RnBk with n from 1 to 99 and k from 0 to 99, for example \"R2B4\"");
  }
  constexpr double cell_limit = 2147483648.0;  // 2^31
  const double n = std::stoi(name.substr(1)), k = std::stoi(name.substr(b + 1));
  if (20.0 * n * n * std::pow(4.0, k) >= cell_limit) {
    place.refuse(
        fmt::format("{} has 2^31 cells or more, which a 32-bit index cannot count; give a "
                    "smaller grid",
                    quoted(name)));
  }
  return name;
}

SettingValue check_texts(const Place& place, const toml::node& node) {
  constexpr std::string_view wanted = "a list of texts, for example [\"ta\", \"ua\"]";
  const toml::array* array = node.as_array();
  if (array == nullptr || array->empty()) wrong_type(place, node, wanted);
  std::vector<std::string> texts;
  for (const toml::node& item : *array) {
    const auto text = item.value_exact<std::string>();
    if (!text || text->empty()) wrong_type(place, item, wanted);
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
    check_range(place, *value);
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
