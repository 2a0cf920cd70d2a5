// SPDX-License-Identifier: Apache-2.0
// The netCDF-4 container, contiguous: HDF5 says where the variables lie, the ranks write them.
// Chunked and compressed files are netcdf4_chunked.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "file/mpi_io.hpp"
#include "format/container.hpp"
#include "format/fixed_layout.hpp"
#include "format/netcdf/hdf5_id.hpp"
#include "format/netcdf/netcdf4_chunked.hpp"
#include "format/netcdf/netcdf_calls.hpp"
#include "format/netcdf/netcdf_metadata.hpp"

namespace thalweg {

namespace {

// Variables of 64 KiB and more begin at pages of the file.
constexpr int aligned_from_bytes = 1 << 16;

/// The alignment that netCDF-C gives to HDF5 files it creates; before and after as it was.
class Alignment {
 public:
  Alignment() {
    nc_get_alignment(&threshold_, &alignment_);
    nc_set_alignment(aligned_from_bytes, static_cast<int>(page_bytes));
  }
  ~Alignment() {  // HDF5's own is 1; netCDF-C answers 0 if none was ever set
    nc_set_alignment(std::max(threshold_, 1), std::max(alignment_, 1));
  }
  Alignment(const Alignment&) = delete;
  Alignment& operator=(const Alignment&) = delete;

 private:
  int threshold_ = 1, alignment_ = 1;
};

/// HDF5 gives a contiguous variable its place when its first value is written: here the last one.
void allocate(const NetcdfFile& file, const FileDescription& description,
              const NetcdfVariables& variables) {
  const double nothing = 0.0;
  for (std::size_t i = 0; i < variables.fields.size(); ++i) {
    const auto& info = description.fields[i];
    const std::size_t points = description.sizes[info.place];
    const std::size_t levels = info.levels;
    if (points == 0 || description.times_s.empty()) continue;
    std::array<std::size_t, 3> last{description.times_s.size() - 1, levels - 1, points - 1};
    if (info.levels == 1) last[1] = points - 1;
    check_netcdf(nc_put_var1_double(file.id(), variables.fields[i], last.data(), &nothing),
                 "lay out", file.name());
  }
}

std::vector<std::int64_t> hdf5_offsets(const FileDescription& description, const Hdf5Id& file,
                                       const std::string& path) {
  std::vector<std::int64_t> offsets;
  for (const auto& info : description.fields) {
    const Hdf5Id variable(H5Dopen2(file.id(), info.name.c_str(), H5P_DEFAULT), H5Dclose);
    const auto offset = variable.id() < 0 ? HADDR_UNDEF : H5Dget_offset(variable.id());
    if (offset == HADDR_UNDEF && field_bytes(description, info) > 0) {
      throw Error(Blame::file_system,
                  fmt::format("cannot find the place of variable '{}' in '{}': {}", info.name, path,
                              netcdf_reason(path, NC_EHDFERR)));
    }
    offsets.push_back(offset == HADDR_UNDEF ? 0 : static_cast<std::int64_t>(offset));
  }
  return offsets;
}

std::vector<double> hdf5_times(const Hdf5Id& file, const std::string& path) {
  const Hdf5Id axis(H5Dopen2(file.id(), "time", H5P_DEFAULT), H5Dclose);
  const Hdf5Id space(H5Dget_space(axis.id()), H5Sclose);
  std::vector<double> times_s(std::max<hssize_t>(H5Sget_simple_extent_npoints(space.id()), 0));
  const auto status =
      H5Dread(axis.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, times_s.data());
  check_netcdf(status < 0 ? NC_EHDFERR : NC_NOERR, "look at", path);
  return times_s;
}

// By HDF5: netCDF-C keeps 1.7 kB of each file that it opens until the process ends (4.9.0).
FixedLayout look_at_netcdf4(const FileDescription& description, const std::string& path) {
  const Hdf5Id file(open_hdf5(path, H5F_ACC_RDONLY), H5Fclose);
  check_netcdf_open(file.id() < 0 ? NC_EHDFERR : NC_NOERR, path);
  return FixedLayout::with_axis(dense_layout(description, hdf5_offsets(description, file, path)),
                                hdf5_times(file, path));
}

FixedLayout create_fixed_netcdf4(const FileDescription& description) {
  prepare_striping(description.path + ".part", description.hints);
  describe_netcdf4(description);
  return look_at_netcdf4(description, description.path + ".part");
}

constexpr FixedFormat format{"netcdf4", false, create_fixed_netcdf4, look_at_netcdf4,
                             complete_netcdf};

}  // namespace

const FixedFormat& netcdf4_format() { return format; }

void describe_netcdf4(const FileDescription& description) {
  const Alignment alignment;
  NetcdfFile file(description.path + ".part", NC_NETCDF4);
  const auto variables = define_netcdf(file.id(), description);
  check_netcdf(nc_enddef(file.id()), "lay out", file.name());
  write_coordinates(file.id(), description, variables);
  allocate(file, description, variables);
  file.close();
}

void check_kept_netcdf4(const FileDescription& file) {
  file.in_chunks() ? check_kept_chunked(file) : check_kept_fixed_layout(format, file);
}

std::unique_ptr<Container> create_netcdf4(const FileDescription& description, MPI_Comm team) {
  if (description.in_chunks()) return create_netcdf4_chunked(description, team);
  return open_fixed_layout(format, description);
}

std::unique_ptr<Container> join_netcdf4(const FileDescription& description,
                                        const std::string& layout, MPI_Comm team) {
  if (description.in_chunks()) return join_netcdf4_chunked(description, layout, team);
  return join_fixed_layout(format, description, layout);
}

}  // namespace thalweg
