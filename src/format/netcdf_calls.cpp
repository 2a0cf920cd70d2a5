// SPDX-License-Identifier: Apache-2.0
// Turns netCDF status codes into sentences.
#include "format/netcdf_calls.hpp"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include <cstring>
#include <filesystem>

namespace thalweg {

std::string refusal_reason(const std::string& path, int status) {
  const auto directory = std::filesystem::path(path).parent_path();
  std::error_code ignored;
  if (!directory.empty() && !std::filesystem::is_directory(directory, ignored)) {
    return fmt::format("the directory '{}' is not there", directory.string());
  }
  struct statvfs disk {};
  // File systems without blocks (/proc) are never full, they refuse for other reasons.
  if (statvfs(directory.empty() ? "." : directory.c_str(), &disk) == 0 && disk.f_blocks > 0 &&
      disk.f_bavail * disk.f_frsize < (1U << 20U)) {
    return fmt::format("the disk of '{}' is full", directory.string());
  }
  return status < 0 ? nc_strerror(status) : std::strerror(status);
}

void check_netcdf(int status, const char* what, const std::string& path) {
  if (status == NC_NOERR) return;
  throw Error(Blame::file_system,
              fmt::format("cannot {} '{}': {}", what, path, refusal_reason(path, status)));
}

void put_text(int ncid, int variable, const char* name, const std::string& text) {
  check_netcdf(nc_put_att_text(ncid, variable, name, text.size(), text.c_str()), "describe", name);
}

}  // namespace thalweg
