// SPDX-License-Identifier: Apache-2.0
// The two classic netCDF containers, CDF-5 and 64-bit-offset (CDF-2): netCDF-C writes the header,
// which says where the variables lie; the ranks write them, big-endian.
#include <fmt/format.h>

#include <algorithm>

#include "format/classic_header.hpp"
#include "format/container_list.hpp"
#include "format/fixed_layout.hpp"
#include "format/mpi_io.hpp"
#include "format/netcdf_calls.hpp"
#include "format/netcdf_metadata.hpp"

namespace thalweg {

namespace {

// Largest variable of CDF-2 (specification: "vsize"; only the last one may be larger).
constexpr std::int64_t largest_classic_bytes = (std::int64_t{1} << 32U) - 4;

constexpr FixedFormat cdf5{"cdf5", true, complete_netcdf};
constexpr FixedFormat classic{"classic", true, complete_netcdf};

/// Room in the header for what the history may grow by.
std::size_t history_bytes(const FileDescription& description) {
  if (!description.may_drop) return 0;
  std::vector<int> all(description.times_s.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
  return history_with_dropped(description, all).size() - description.history.size() + 4;
}

std::unique_ptr<Container> create(const FixedFormat& format, int kind,
                                  const FileDescription& description) {
  prepare_striping(description.path + ".part", description.hints);
  describe_classic(description, kind);
  const auto by_name = classic_variable_offsets(description.path + ".part");
  std::vector<std::int64_t> offsets;
  for (const auto& info : description.fields) offsets.push_back(by_name.at(info.name));
  return open_fixed_layout(format, description, dense_layout(description, offsets));
}

void check(const char* name, const FileDescription& description) {
  if (description.compression != "none") {
    throw Error(Blame::user,
                fmt::format("[[output]]: container '{}' cannot be compressed; use container = "
                            "\"netcdf4\", or compression = \"none\"",
                            name));
  }
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
  check_netcdf(nc__enddef(file.id(), history_bytes(description), page_bytes, 0, page_bytes),
               "lay out", file.name());
  write_coordinates(file.id(), description, variables);
  file.close();
}

std::unique_ptr<Container> create_cdf5(const FileDescription& description, MPI_Comm) {
  return create(cdf5, NC_64BIT_DATA, description);
}
std::unique_ptr<Container> join_cdf5(const FileDescription& description, const std::string& layout,
                                     MPI_Comm) {
  return join_fixed_layout(cdf5, description, layout);
}
void check_cdf5(const FileDescription& description) { check("cdf5", description); }

std::unique_ptr<Container> create_classic(const FileDescription& description, MPI_Comm) {
  check_classic(description);
  return create(classic, NC_64BIT_OFFSET, description);
}
std::unique_ptr<Container> join_classic(const FileDescription& description,
                                        const std::string& layout, MPI_Comm) {
  return join_fixed_layout(classic, description, layout);
}
void check_classic(const FileDescription& description) {
  check("classic", description);
  for (const auto& info : description.fields) {
    const auto bytes = field_bytes(description, info);
    if (bytes <= largest_classic_bytes) continue;
    throw Error(Blame::user,
                fmt::format("[[output]]: variable '{}' takes {:.1f} GiB, but container 'classic' "
                            "holds 4 GiB per variable; use container = \"cdf5\" or \"netcdf4\", or "
                            "a shorter file_interval",
                            info.name, static_cast<double>(bytes) / (1U << 30U)));
  }
}

}  // namespace thalweg
