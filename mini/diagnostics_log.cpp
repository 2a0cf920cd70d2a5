// SPDX-License-Identifier: Apache-2.0
// Lines that stay are written aside, then get the name; a line that does not fit is cut off again.
#include "diagnostics_log.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

namespace thalweg::mini {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// The time of a line; nothing if it is not one of ours.
std::optional<double> time_of(const std::string& line) {
  const auto read = json::parse(line, nullptr, false);
  if (!read.is_object() || !read.contains("time_s") || !read["time_s"].is_number()) return {};
  return read["time_s"].get<double>();
}

}  // namespace

std::string DiagnosticsLog::begin() {
  if (std::ofstream(path_, std::ios::trunc)) return "";
  return fmt::format("'{}' cannot be written: {}", path_, std::strerror(errno));
}

std::string DiagnosticsLog::keep_until(double time_s) {
  errno = 0;
  std::ifstream before(path_);
  if (!before && errno == ENOENT) return begin();
  if (!before) return fmt::format("'{}' cannot be read: {}", path_, std::strerror(errno));
  const auto aside = path_ + ".part";
  std::ofstream kept(aside, std::ios::trunc);
  int unreadable = 0;
  for (std::string line; std::getline(before, line);) {
    const auto time = time_of(line);
    if (!time) ++unreadable;
    if (time && *time <= time_s) kept << line << '\n';
  }
  kept.close();
  if (before.bad()) return fmt::format("'{}' cannot be read to its end, and stays as it is", path_);
  std::error_code refused;
  if (kept) fs::rename(aside, path_, refused);
  if (!kept || refused) {
    return fmt::format("'{}' still has the lines of after {} s: '{}' cannot be written: {}", path_,
                       time_s, aside, refused ? refused.message() : std::strerror(errno));
  }
  if (unreadable == 0) return "";
  return fmt::format("of '{}' {} line(s) could not be read and were left out", path_, unreadable);
}

std::string DiagnosticsLog::append(const json& line) {
  std::error_code none;
  const auto size = fs::file_size(path_, none);
  std::ofstream file(path_, std::ios::app);
  file << line.dump() << '\n' << std::flush;
  const bool whole = static_cast<bool>(file);
  const int reason = errno;
  file.close();  // writes what it still has
  if (whole) return "";
  if (!none) fs::resize_file(path_, size, none);
  return fmt::format("'{}' lacks the time {} s and perhaps later ones: {}", path_,
                     line.at("time_s").get<double>(), std::strerror(reason));
}

}  // namespace thalweg::mini
