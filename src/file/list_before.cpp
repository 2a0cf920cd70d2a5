// SPDX-License-Identifier: Apache-2.0
// Reads the list twice: its last line tells whether the lines above may be believed.
#include "file/list_before.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>

#include "base/crc32.hpp"
#include "file/entries.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

namespace {

namespace fs = std::filesystem;
constexpr std::string_view file_key = R"({"file":)";

std::string list_path(const std::string& directory) { return directory + "/checksums.jsonl"; }
std::string old_path(const std::string& directory) { return list_path(directory) + ".old"; }

/// Stream and first time of a file, of its parts, indices and journal alike: all before the suffix.
std::string_view before_suffix(std::string_view name) { return name.substr(0, name.rfind('Z')); }

bool is_whole(const std::string& path) {
  std::ifstream file(path);
  std::uint32_t sum = 0;
  for (std::string line; std::getline(file, line);) {
    if (line == fmt::format(R"({{"crc32_of_lines_above":"{:08x}"}})", sum)) return true;
    line += '\n';
    sum = crc32(sum, std::as_bytes(std::span(line)));
  }
  return false;
}

/// "" of the last line, which is about no file.
std::string file_of(std::string_view line) {
  if (!line.starts_with(file_key)) return "";
  auto end = file_key.size() + 1;
  while (end < line.size() && line[end] != '"') end += line[end] == '\\' ? 2 : 1;
  return nlohmann::json::parse(line.substr(file_key.size(), end + 1 - file_key.size()));
}

}  // namespace

ListBefore::ListBefore(const std::string& directory) : directory_(directory) {
  if (!is_whole(old_path(directory))) return;
  for (const auto& name : names_in(directory + "/journal")) journaled_.emplace(before_suffix(name));
  file_.open(old_path(directory));
  step();
}

void ListBefore::step() {
  line_.clear();
  while (std::getline(file_, line_)) {
    const auto file = file_of(line_);
    path_ = directory_ + "/" + file;
    line_ += '\n';
    if (!file.empty() && !has_a_journal()) return;
  }
  line_.clear();
}

bool ListBefore::has_a_journal() const {
  const auto name = *std::next(fs::path(path_).lexically_relative(directory_).begin());
  return journaled_.contains(std::string(before_suffix(name.native())));
}

void ListBefore::set_aside(const std::string& directory) {
  std::error_code error;
  fs::rename(list_path(directory), old_path(directory), error);
  // One that was killed has set it aside already.
  if (!error || error == std::errc::no_such_file_or_directory) return;
  throw Error(Blame::file_system, fmt::format("cannot rename '{}', which no longer holds: {}",
                                              list_path(directory), error.message()));
}

void ListBefore::remove(const std::string& directory) {
  std::error_code error;
  fs::remove(old_path(directory), error);
  if (!error) return;
  throw Error(Blame::file_system, fmt::format("cannot remove '{}', which no longer holds: {}",
                                              old_path(directory), error.message()));
}

}  // namespace thalweg
