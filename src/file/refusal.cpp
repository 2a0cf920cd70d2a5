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

std::string refusal_reason(const std::string& path, int status, const std::string& otherwise) {
  const auto directory = std::filesystem::path(path).parent_path();
  std::error_code ignored;
  if (!directory.empty() && !std::filesystem::is_directory(directory, ignored)) {
    return fmt::format("the directory '{}' is not there", directory.string());
  }
  struct statvfs disk {};
  // File systems without blocks (/proc) are never full, they refuse for other reasons.
  if (statvfs(directory.empty() ? "." : directory.c_str(), &disk) == 0) {
    const bool no_room = disk.f_blocks > 0 && disk.f_bavail * disk.f_frsize < (1U << 20U);
    if (no_room) return fmt::format("the disk of '{}' is full", directory.string());
    if (disk.f_files > 0 && disk.f_favail == 0)
      return fmt::format("the disk of '{}' is full: it takes no more files", directory.string());
  }
  if (status == ENOSPC) return fmt::format("the disk of '{}' is full", directory.string());
  if (status == EFBIG) return "it would outgrow the limit of file sizes (see 'ulimit -f')";
  return otherwise;
}

std::string refusal_reason(const std::string& path, int status) {
  return refusal_reason(path, status, std::strerror(status));
}

void refuse_file(const char* what, const std::string& path, int status) {
  throw Error(Blame::file_system,
              fmt::format("cannot {} '{}': {}", what, path, refusal_reason(path, status)));
}

}  // namespace thalweg
