// SPDX-License-Identifier: Apache-2.0
// Names sorted in each directory: compared component by component, paths are in that order, too.
#include "file/files_in_order.hpp"

#include <algorithm>
#include <utility>

namespace thalweg {

namespace {

namespace fs = std::filesystem;

bool is_final(const fs::path& path) {
  return path.extension() != ".part" && path.extension() != ".old";
}

}  // namespace

FilesInOrder::FilesInOrder(std::string directory) {
  enter(std::move(directory));
  step();
}

void FilesInOrder::enter(std::string directory) {
  Level level;
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (!is_final(entry.path())) continue;
    const bool is_directory = entry.is_directory() && !entry.is_symlink();
    if (is_directory || entry.is_regular_file())
      level.left.push_back({entry.path().filename().string(), is_directory});
  }
  std::sort(level.left.begin(), level.left.end(),
            [](const Entry& one, const Entry& other) { return one.name > other.name; });
  level.directory = std::move(directory);
  levels_.push_back(std::move(level));
}

void FilesInOrder::step() {
  path_.reset();
  while (!levels_.empty() && !path_) {
    auto& level = levels_.back();
    if (level.left.empty()) {
      levels_.pop_back();
      continue;
    }
    const auto entry = std::move(level.left.back());
    level.left.pop_back();
    auto path = level.directory + "/" + entry.name;
    if (entry.is_directory) {
      enter(std::move(path));
    } else {
      path_ = std::move(path);
    }
  }
}

}  // namespace thalweg
