// SPDX-License-Identifier: Apache-2.0
// The two classic netCDF containers, CDF-5 and 64-bit-offset (CDF-2): netCDF-C writes the header,
// which says where the variables lie; the ranks write them, big-endian.
#include <fmt/format.h>

#include <algorithm>

#include "file/file_bytes.hpp"
#include "file/mpi_io.hpp"
#include "format/container.hpp"
#include "format/fixed_layout.hpp"
#include "format/netcdf/classic_header.hpp"
#include "format/netcdf/netcdf_calls.hpp"
#include "format/netcdf/netcdf_metadata.hpp"

namespace thalweg {

namespace {

// Largest variable of CDF-2 (specification: "vsize"; only the last one may be larger).
constexpr std::int64_t largest_classic_bytes = (std::int64_t{1} << 32U) - 4;

/// The time axis, in seconds.
std::vector<double> times_in_file(const std::string& path) {
  // A classic file that was cut would be made longer by whoever closes it after writing.
  const NetcdfFile file(path, NetcdfFile::Open::to_read);
  int axis = -1, variable = -1;
  std::size_t length = 0;
  check_netcdf(nc_inq_dimid(file.id(), "time", &axis), "look at", file.name());
  check_netcdf(nc_inq_dimlen(file.id(), axis, &length), "look at", file.name());
  std::vector<double> times_s(length);
  check_netcdf(nc_inq_varid(file.id(), "time", &variable), "look at", file.name());
  check_netcdf(nc_get_var_double(file.id(), variable, times_s.data()), "look at", file.name());
  return times_s;
}

FixedLayout look_at_classic(const FileDescription& description, const std::string& path) {
  const auto by_name = classic_variables(path);
  std::vector<std::int64_t> offsets;
  for (const auto& info : description.fields) {
    const auto found = by_name.find(info.name);
    if (found == by_name.end()) refuse_classic_header(path);
    offsets.push_back(found->second.begin);
  }
  std::int64_t end = 0;  // what was cut off would be read as zeros
  for (const auto& [name, range] : by_name) end = std::max(end, range.end);
  require_size(path, end);
  return FixedLayout::with_axis(dense_layout(description, offsets), times_in_file(path));
}

template <int kind>
FixedLayout create_classic(const FileDescription& description) {
  prepare_striping(description.path + ".part", description.hints);
  describe_classic(description, kind);
  return look_at_classic(description, description.path + ".part");
}

constexpr FixedFormat cdf5{"cdf5", true, create_classic<NC_64BIT_DATA>, look_at_classic,
                           complete_netcdf};
constexpr FixedFormat classic{"classic", true, create_classic<NC_64BIT_OFFSET>, look_at_classic,
                              complete_netcdf};

void check(const char* name, const FileDescription& description) {
  if (description.chunked) {
    throw Error(Blame::user, fmt::format("[[output]]: container '{}' has no chunks; use container "
                                         "= \"netcdf4\", or layout = \"contiguous\"",
                                         name));
  }
}

}  // namespace

void describe_classic(const FileDescription& description, int kind) {
  NetcdfFile file(description.path + ".part", kind);
  NetcdfStorage storage;
  storage.fields_first = true;
  const auto variables = define_netcdf(file.id(), description, storage);
  check_netcdf(nc__enddef(file.id(), 0, page_bytes, 0, page_bytes), "lay out", file.name());
  write_coordinates(file.id(), description, variables);
  file.close();
}

const FixedFormat& cdf5_format() { return cdf5; }

void check_kept_cdf5(const FileDescription& file) { check_kept_fixed_layout(cdf5, file); }
void check_kept_classic(const FileDescription& file) { check_kept_fixed_layout(classic, file); }

std::unique_ptr<Container> create_cdf5(const FileDescription& description, MPI_Comm) {
  return open_fixed_layout(cdf5, description);
}
std::unique_ptr<Container> join_cdf5(const FileDescription& description, const std::string& layout,
                                     MPI_Comm) {
  return join_fixed_layout(cdf5, description, layout);
}
void check_cdf5(const FileDescription& description) { check("cdf5", description); }

void check_classic(const FileDescription& description) {
  check("classic", description);
  for (const auto& info : description.fields) {
    if (info.type == ValueType::int64) {
      throw Error(Blame::user,
                  fmt::format("[[output]]: container 'classic' has no 64-bit integers, which field "
                              "'{}' consists of; use container = \"cdf5\" or \"netcdf4\"",
                              info.name));
    }
    const auto bytes = field_bytes(description, info);
    if (bytes <= largest_classic_bytes) continue;
    throw Error(Blame::user,
                fmt::format("[[output]]: variable '{}' takes {:.1f} GiB, but container 'classic' "
                            "holds 4 GiB per variable; use container = \"cdf5\" or \"netcdf4\", or "
                            "a shorter file_interval",
                            info.name, static_cast<double>(bytes) / (1U << 30U)));
  }
}

std::unique_ptr<Container> create_classic(const FileDescription& description, MPI_Comm) {
  check_classic(description);
  return open_fixed_layout(classic, description);
}
std::unique_ptr<Container> join_classic(const FileDescription& description,
                                        const std::string& layout, MPI_Comm) {
  return join_fixed_layout(classic, description, layout);
}

}  // namespace thalweg
