// SPDX-License-Identifier: Apache-2.0
// The rules of netCDF (its names' grammar), file systems and JSON in one.
#include "field/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "thalweg/error.hpp"

namespace thalweg {

namespace {

bool is_control(unsigned char byte) { return byte < 0x20 || byte == 0x7f; }

// As a terminal can show it: "a\x07b", and not hundreds of letters.
std::string shown(const std::string& name) {
  constexpr std::size_t most_shown = 60;
  const bool readable = is_utf8(name);
  std::string text;
  for (const unsigned char byte : name.substr(0, most_shown)) {
    const bool strange =
        is_control(byte) || (byte > 0x7f && (!readable || name.size() > most_shown));
    text += strange ? fmt::format("\\x{:02x}", byte) : std::string(1, static_cast<char>(byte));
  }
  return text + (name.size() > most_shown ? "..." : "");
}

}  // namespace

bool is_utf8(std::string_view text) {
  try {
    static_cast<void>(nlohmann::json(text).dump());
  } catch (const nlohmann::json::type_error&) {
    return false;
  }
  return true;
}

void check_name(std::string_view what, const std::string& name, std::size_t longest) {
  const auto refuse = [&](std::string_view why) {
    throw Error(Blame::user, fmt::format("{} '{}': its name {}", what, shown(name), why));
  };
  if (name.size() > longest) {
    refuse(fmt::format("has {} bytes; it may have {}", name.size(), longest));
  }
  if (!is_utf8(name)) refuse("is not UTF-8; write it in that encoding");
  if (std::any_of(name.begin(), name.end(),
                  [](unsigned char b) { return b == '/' || is_control(b); }))
    refuse("may not contain '/' or control characters: files and variables are called by it");
  const auto first = static_cast<unsigned char>(name.empty() ? '\0' : name.front());
  if (std::isalnum(first) == 0 && first != '_' && first < 0x80)
    refuse("must begin with a letter, a digit or '_'");
  if (name.back() == ' ') refuse("may not end with a blank");
}

void check_levels(const FieldInfo& field) {
  if (field.half_levels && field.levels == 1) {
    throw Error(Blame::user,
                fmt::format("field '{}' has one level and lies on half levels: of those there are "
                            "at least two, and a two-dimensional field is on none",
                            field.name));
  }
  if (field.levels >= 1 && field.levels <= most_levels) return;
  throw Error(Blame::user, fmt::format("field '{}' has {} levels; it needs at least one and at "
                                       "most {}",
                                       field.name, field.levels, most_levels));
}

}  // namespace thalweg
