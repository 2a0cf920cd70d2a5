// SPDX-License-Identifier: Apache-2.0
// Typed access to the settings of one table; asking for a wrong name or type is our bug.
#include <fmt/core.h>

#include "thalweg/error.hpp"
#include "thalweg/settings.hpp"

namespace thalweg {

namespace {

template <typename T>
const T& of_type(const SettingValue& value, std::string_view table, std::string_view key) {
  if (const T* typed = std::get_if<T>(&value)) return *typed;
  throw Error(Blame::bug,
              fmt::format("the program reads [{}] {} as another type than settings.toml gives it",
                          table, key));
}

}  // namespace

const SettingValue& SettingTable::at(std::string_view key) const {
  const auto found = values_.find(std::string(key));
  if (found == values_.end()) {
    throw Error(
        Blame::bug,
        fmt::format("the program asks for [{}] {}, which settings.toml does not list", name_, key));
  }
  return found->second;
}

bool SettingTable::flag(std::string_view key) const { return of_type<bool>(at(key), name_, key); }

std::int64_t SettingTable::integer(std::string_view key) const {
  return of_type<std::int64_t>(at(key), name_, key);
}

double SettingTable::number(std::string_view key) const {
  return of_type<double>(at(key), name_, key);
}

const std::string& SettingTable::text(std::string_view key) const {
  return of_type<std::string>(at(key), name_, key);
}

const std::vector<std::string>& SettingTable::texts(std::string_view key) const {
  return of_type<std::vector<std::string>>(at(key), name_, key);
}

const std::vector<std::int64_t>& SettingTable::integers(std::string_view key) const {
  return of_type<std::vector<std::int64_t>>(at(key), name_, key);
}

}  // namespace thalweg
