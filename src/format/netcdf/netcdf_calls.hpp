// SPDX-License-Identifier: Apache-2.0
// netCDF-C with exceptions: one check, and short forms for attributes and variables.
#pragma once

#include <netcdf.h>

#include <string>
#include <vector>

#include "base/file_size_signal.hpp"
#include "file/aside_file.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

/// Why the file system may have refused `path`, by a status of netCDF or an errno (refusal.hpp).
std::string netcdf_reason(const std::string& path, int status);

/// Throws Error(file_system): "cannot WHAT 'PATH': REASON".
void check_netcdf(int status, const char* what, const std::string& path);
/// The same, of opening a file that was written before.
void check_netcdf_open(int status, const std::string& path);

void put_text(int ncid, int variable, const char* name, const std::string& text);

/// An open netCDF file. Errors are Error(file_system).
class NetcdfFile {
 public:
  enum class Open { to_read, to_change };
  NetcdfFile(const std::string& path, int kind);  ///< a new one: NC_NETCDF4, NC_64BIT_DATA ...
  NetcdfFile(const std::string& path, Open how);  ///< one that is there
  ~NetcdfFile();
  NetcdfFile(const NetcdfFile&) = delete;
  NetcdfFile& operator=(const NetcdfFile&) = delete;
  void close();
  int id() const { return ncid_; }
  const std::string& name() const { return path_; }

 private:
  FileSizeSignalBlocked blocked_;
  std::string path_;
  int ncid_ = -1;
  bool open_ = false;
};

}  // namespace thalweg
