// SPDX-License-Identifier: Apache-2.0
// A fresh folder of one rank, for tests that make files.
#pragma once

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>

namespace thalweg {

/// Removed at the end of its scope.
struct OwnFolder {
  std::filesystem::path path = fresh_name();
  OwnFolder() { std::filesystem::create_directories(path); }
  ~OwnFolder() { std::filesystem::remove_all(path); }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;
  std::string file(const char* name) const { return (path / name).string(); }

 private:
  static std::filesystem::path fresh_name() {
    static std::atomic<int> made = 0;
    const auto name = "thalweg_" + std::to_string(getpid()) + "_" + std::to_string(++made);
    return std::filesystem::temp_directory_path() / name;
  }
};

}  // namespace thalweg
