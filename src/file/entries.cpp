// SPDX-License-Identifier: Apache-2.0
// stat and readdir, of which only "there is none" is an answer and every other refusal an error.
#include "file/entries.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <optional>

#include "file/refusal.hpp"

namespace thalweg {

namespace {

namespace fs = std::filesystem;

bool says_that_there_is_none(int reason) { return reason == ENOENT || reason == ENOTDIR; }

std::optional<mode_t> mode_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return status.st_mode;
  if (says_that_there_is_none(errno)) return std::nullopt;
  refuse_file("look at", path, errno);
}

}  // namespace

bool is_present(const std::string& path) { return mode_of(path).has_value(); }

bool is_a_directory(const std::string& path) {
  const auto mode = mode_of(path);
  return mode && S_ISDIR(*mode);
}

std::string whole_path(const std::string& path) {
  std::error_code unknown;
  const auto given = fs::absolute(path, unknown);
  // Links first: ".." after one is the directory above what it leads to.
  const auto whole = fs::weakly_canonical(given, unknown);
  auto plain = (unknown ? given : whole).lexically_normal();
  if (!plain.has_filename()) plain = plain.parent_path();
  return plain.string();
}

std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code refused;
  fs::directory_iterator entry(directory, refused);
  for (; !refused && entry != fs::directory_iterator(); entry.increment(refused))
    names.push_back(entry->path().filename().string());
  if (refused && !says_that_there_is_none(refused.value()))
    refuse_file("list", directory, refused.value());
  return names;
}

void remove_whole(const std::string& path, const std::string& aside) {
  std::error_code refused;
  const bool renamed = path != aside && is_a_directory(path);
  if (renamed) {
    fs::remove_all(aside, refused);
    if (!refused) fs::rename(path, aside, refused);
  }
  if (!refused) fs::remove_all(renamed ? aside : path, refused);
  if (refused && !says_that_there_is_none(refused.value()))
    refuse_file("remove", path, refused.value());
}

}  // namespace thalweg
