// SPDX-License-Identifier: Apache-2.0
// Looks at directory and disk before it believes a status.
#include "file/refusal.hpp"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "thalweg/error.hpp"

namespace thalweg {

namespace {

std::string directory_of(const std::string& path) {
  const auto directory = std::filesystem::path(path).parent_path();
  return directory.empty() ? "." : directory.string();
}

}  // namespace

std::string refusal_reason(const std::string& path, int status, const std::string& otherwise) {
  const auto directory = directory_of(path);
  std::error_code ignored;
  if (!std::filesystem::is_directory(directory, ignored)) {
    return fmt::format("the directory '{}' is not there", directory);
  }
  struct statvfs disk {};
  // File systems without blocks (/proc) are never full, they refuse for other reasons.
  if (statvfs(directory.c_str(), &disk) == 0) {
    const bool no_room = disk.f_blocks > 0 && disk.f_bavail * disk.f_frsize < (1U << 20U);
    if (no_room) return fmt::format("the disk of '{}' is full", directory);
    if (disk.f_files > 0 && disk.f_favail == 0)
      return fmt::format("the disk of '{}' is full: it takes no more files", directory);
  }
  if (status == ENOSPC) return fmt::format("the disk of '{}' is full", directory);
  if (status == EFBIG) return "it would outgrow the limit of file sizes (see 'ulimit -f')";
  return otherwise;
}

std::string refusal_reason(const std::string& path, int status) {
  return refusal_reason(path, status, std::strerror(status));
}

std::string lack_of_room(const std::string& path, std::int64_t bytes) {
  const auto directory = directory_of(path);
  struct statvfs disk {};
  if (statvfs(directory.c_str(), &disk) != 0 || disk.f_blocks == 0) return "";
  const auto left = static_cast<std::int64_t>(disk.f_bavail * disk.f_frsize);
  if (left >= bytes) return "";
  return fmt::format("the disk of '{}' has no room for it: {} MiB needed, {} MiB left", directory,
                     (bytes >> 20) + 1, left >> 20);
}

void refuse_file(const char* what, const std::string& path, int status) {
  throw Error(Blame::file_system,
              fmt::format("cannot {} '{}': {}", what, path, refusal_reason(path, status)));
}

}  // namespace thalweg
