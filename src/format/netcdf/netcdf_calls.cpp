// SPDX-License-Identifier: Apache-2.0
// Turns netCDF status codes into sentences.
#include "format/netcdf/netcdf_calls.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>

#include "file/refusal.hpp"

namespace thalweg {

std::string netcdf_reason(const std::string& path, int status) {
  // It looks for a folder of the name before it, and says "Permission denied".
  if (path.find('\\') != path.npos) {
    return "netCDF takes a backslash for the end of a folder's name; choose a path without one";
  }
  if (status >= 0) return refusal_reason(path, status);
  return refusal_reason(path, status, nc_strerror(status));
}

namespace {

/// netCDF-C calls every refusal below HDF5 "HDF error" or "Permission denied"; the system call left
/// its reason. Only reasons that nothing else leaves behind are believed, and what the file system
/// says of itself.
int reason_of(int status, const std::string& path) {
  const int reason = errno;
  const bool vague = status == NC_EHDFERR || status == EACCES || status == NC_EPERM;
  struct statvfs state {};
  const auto folder = std::filesystem::path(path).parent_path();
  if (vague && ::statvfs(folder.c_str(), &state) == 0 && (state.f_flag & ST_RDONLY) != 0)
    return EROFS;
  for (const int clear : {EFBIG, EDQUOT, EMFILE, ENFILE, EROFS}) {
    if (vague && reason == clear) return reason;
  }
  return status;
}

/// Why the system does not open it to read, else `status`.
int status_of_opening(const std::string& path, int status) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno;
  ::close(file);
  return status;
}

/// HDF5 locks what it has open, for readers too. Seen twice, so that it is not another program that
/// is looking just now, as we are.
bool is_locked(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const auto refused = [&] {
    return ::flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  };
  constexpr std::chrono::milliseconds pause(50);
  const bool locked = refused() && (std::this_thread::sleep_for(pause), refused());
  ::close(file);
  return locked;
}

}  // namespace

void check_netcdf(int status, const char* what, const std::string& path) {
  if (status == NC_NOERR) return;
  status = reason_of(status, path);
  throw Error(Blame::file_system,
              fmt::format("cannot {} '{}': {}", what, path, netcdf_reason(path, status)));
}

void put_text(int ncid, int variable, const char* name, const std::string& text) {
  check_netcdf(nc_put_att_text(ncid, variable, name, text.size(), text.c_str()), "describe", name);
}

NetcdfFile::NetcdfFile(const std::string& path, int kind) : path_(path) {
  std::size_t buffer_bytes = std::size_t{1} << 20U;  // classic files: instead of 4 KiB
  check_netcdf(nc__create(path.c_str(), kind | NC_CLOBBER, 0, &buffer_bytes, &ncid_), "create",
               path);
  open_ = true;
}

void check_netcdf_open(int status, const std::string& path) {
  status = reason_of(status, path);
  const bool vague = status == NC_EHDFERR || status == NC_ENOTNC;
  if (vague) status = status_of_opening(path, status);  // HDF5 does not say why
  if (vague && is_locked(path)) {
    throw Error(Blame::user,
                fmt::format("another program has '{}' open and has locked it; end that "
                            "program, then try again",
                            path));
  }
  if (vague && status < 0) {
    throw Error(Blame::user, fmt::format("'{}' is no whole netCDF file any more ({}); put it back "
                                         "as it was, or begin anew",
                                         path, nc_strerror(status)));
  }
  check_netcdf(status, "open", path);
}

NetcdfFile::NetcdfFile(const std::string& path, Open how) : path_(path) {
  const int mode = how == Open::to_read ? NC_NOWRITE : NC_WRITE;
  check_netcdf_open(nc_open(path.c_str(), mode, &ncid_), path);
  open_ = true;
}

NetcdfFile::~NetcdfFile() {
  if (open_) nc_close(ncid_);
}

void NetcdfFile::close() {
  open_ = false;
  check_netcdf(nc_close(ncid_), "close", path_);
}

}  // namespace thalweg
