// SPDX-License-Identifier: Apache-2.0
// The grid file of `thalweg grid`: the whole mesh, under its final name only when complete.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/file_size_signal.hpp"
#include "file/history.hpp"
#include "file/refusal.hpp"
#include "format/netcdf/netcdf_calls.hpp"
#include "format/netcdf/ugrid.hpp"
#include "thalweg/error.hpp"

namespace thalweg {
namespace {

void describe(int ncid, const Grid& grid, const std::string& path) {
  put_text(ncid, NC_GLOBAL, "Conventions", "CF-1.11 UGRID-1.0");
  put_text(ncid, NC_GLOBAL, "title", "icosahedral grid " + grid.name());
  put_text(ncid, NC_GLOBAL, "source", "Thalweg, computed from the grid's name");
  put_text(ncid, NC_GLOBAL, "history", history_line());
  put_text(ncid, NC_GLOBAL, "grid_name", grid.name());
  put_text(ncid, NC_GLOBAL, "uuidOfHGrid", grid.uuid());
  // ICON's names for the same three numbers.
  check_netcdf(nc_put_att_int(ncid, NC_GLOBAL, "grid_root", NC_INT, 1, &grid.n), "describe", path);
  check_netcdf(nc_put_att_int(ncid, NC_GLOBAL, "grid_level", NC_INT, 1, &grid.k), "describe", path);
  check_netcdf(nc_put_att_double(ncid, NC_GLOBAL, "sphere_radius", NC_DOUBLE, 1, &earth_radius_m),
               "describe", path);
}

/// An open file under a name of this process alone, removed unless it is finished.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(const std::string& path)
      : path_(path), aside_(fmt::format("{}.{}.part", path, getpid())) {
    const int status = nc_create(aside_.c_str(), NC_NETCDF4 | NC_NOCLOBBER, &ncid);
    if (status != NC_NOERR)
      throw Error(Blame::user, "grid file '" + path + "' cannot be created (" +
                                   netcdf_reason(path, status) + "): choose another path with -o.");
    open_ = true;
  }
  ~UnfinishedFile() {
    std::error_code ignored;
    if (open_) nc_close(ncid);
    std::filesystem::remove(aside_, ignored);
  }
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  void finish() {
    check_netcdf(nc_sync(ncid), "flush", aside_);
    open_ = false;
    check_netcdf(nc_close(ncid), "close", aside_);
    std::error_code refused;
    std::filesystem::rename(aside_, path_, refused);
    if (refused) check_netcdf(refused.value(), "give its final name to", aside_);
  }

  const std::string& name() const { return aside_; }
  int ncid = -1;

 private:
  std::string path_, aside_;
  bool open_ = false;
};

}  // namespace

void write_grid_file(const Grid& grid, const std::string& path) {
  std::error_code unknown;
  if (std::filesystem::exists(path, unknown) && !std::filesystem::is_regular_file(path, unknown)) {
    throw Error(Blame::user,
                fmt::format("'{}' is no file but a directory, a device or a pipe; give "
                            "another name",
                            path));
  }
  const FileSizeSignalBlocked limits_are_errors;
  const UgridWriter mesh(grid, {true, true, true, true, true});
  if (const auto lack = lack_of_room(path, mesh.bytes()); !lack.empty())
    throw Error(Blame::user, fmt::format("grid file '{}' cannot be written: {}", path, lack));
  UnfinishedFile file(path);
  describe(file.ncid, grid, file.name());
  mesh.define(file.ncid);
  check_netcdf(nc_enddef(file.ncid), "lay out", file.name());
  mesh.write(file.ncid);
  file.finish();
}

}  // namespace thalweg
