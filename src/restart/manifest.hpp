// SPDX-License-Identifier: Apache-2.0
// The manifest of a restart set: what makes a directory of files a checkpoint.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "restart/part_file.hpp"
#include "thalweg/restart.hpp"

namespace thalweg {

inline constexpr const char* manifest_name = "manifest.json";

/// One file of a set.
struct FileEntry {
  std::string name;
  std::int64_t bytes = 0;
  std::vector<PartEntry> parts;  ///< in the order of offsets; they leave no gap
};

struct Manifest {
  std::string date;        ///< 20000101T060000Z, the name of the set
  std::string start_date;  ///< of the run
  ModelTime time;          ///< since start_date
  std::string run;         ///< whose output it belongs to, BegunRun::run; "" = not known
  std::string mode;
  int compute_ranks = 0, restart_ranks = 0;
  PerPlace<std::int64_t> sizes{};  ///< points
  std::vector<FieldInfo> fields;   ///< in the order of the parts
  RestartScalars scalars;
  std::vector<FileEntry> files;

  /// JSON whose last line holds the CRC-32 of all before it. Throws Error(user) on scalars that are
  /// not UTF-8.
  std::string to_text() const;
  /// `path` for sentences. Throws Error(file_system) if the text is not a whole manifest.
  static Manifest parse(const std::string& text, const std::string& path);
};

}  // namespace thalweg
