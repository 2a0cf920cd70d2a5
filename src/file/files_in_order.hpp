// SPDX-License-Identifier: Apache-2.0
// The files under a directory in the order of path_before(), with the names of one directory of
// each depth in memory: a Zarr store may have millions of them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace thalweg {

/// Regular files under final names: nothing that ends in ".part" or ".old", nor what is below.
/// Links to directories are not followed. Throws std::filesystem::filesystem_error.
class FilesInOrder {
 public:
  explicit FilesInOrder(std::string directory);

  /// The file that is next, or nothing after the last.
  const std::optional<std::string>& path() const { return path_; }
  void step();

 private:
  struct Entry {
    std::string name;
    bool is_directory;
  };
  struct Level {
    std::string directory;
    std::vector<Entry> left;  // the next one at the end
  };
  void enter(std::string directory);

  std::vector<Level> levels_;
  std::optional<std::string> path_;
};

}  // namespace thalweg
