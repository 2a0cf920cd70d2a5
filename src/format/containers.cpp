// SPDX-License-Identifier: Apache-2.0
// Every container Thalweg knows. To add one: write <name>.cpp, declare it in container_list.hpp and
// add its line here.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "format/container_list.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

namespace {
constexpr bool little_endian = false, big_endian = true;  // of the values that put() takes
// Containers whose blocks find their place in the file only after each step.
bool never(const FileDescription&) { return false; }
#ifdef THALWEG_PARALLEL_NETCDF
bool always(const FileDescription&) { return true; }
#endif
bool if_sizes_vary(const FileDescription& file) {
  return file.chunked || file.compression != "none";
}

// name, way, suffix, meaning, byte order, settles, grows, create, join, check
constexpr std::array all{
    ContainerInfo{"netcdf4", "direct", ".nc", "netCDF-4 (HDF5), CF-1.11 and UGRID metadata",
                  little_endian, if_sizes_vary, if_sizes_vary, create_netcdf4, join_netcdf4,
                  check_netcdf4},
    ContainerInfo{"cdf5", "direct", ".nc", "netCDF CDF-5 (64-bit data), the same metadata",
                  big_endian, never, never, create_cdf5, join_cdf5, check_cdf5},
    ContainerInfo{"classic", "direct", ".nc", "netCDF 64-bit offset (CDF-2), 4 GiB per variable",
                  big_endian, never, never, create_classic, join_classic, check_classic},
    ContainerInfo{"grib2", "direct", ".grb2", "GRIB edition 2, values packed into few bits",
                  little_endian, if_sizes_vary, never, create_grib2, join_grib2, check_grib2},
    ContainerInfo{"zarr", "direct", ".zarr", "Zarr 3 store: a directory of shards, one writer each",
                  little_endian, never, never, create_zarr, join_zarr, check_zarr},
    ContainerInfo{"raw", "direct", ".raw", "bare little-endian values and a JSON description",
                  little_endian, never, never, create_raw, join_raw, check_raw},
#ifdef THALWEG_PARALLEL_NETCDF
    ContainerInfo{"netcdf4", "mpiio", ".nc", "netCDF-4 by parallel HDF5, collective", little_endian,
                  always, never, create_netcdf4_mpiio, join_netcdf4_mpiio, check_netcdf4_mpiio},
#endif
#ifdef THALWEG_PNETCDF
    ContainerInfo{"cdf5", "mpiio", ".nc", "netCDF CDF-5 by PnetCDF, collective", little_endian,
                  always, never, create_cdf5_mpiio, join_cdf5_mpiio, check_cdf5},
#endif
};
}  // namespace

std::span<const ContainerInfo> containers() { return all; }

const ContainerInfo& find_container(std::string_view name, std::string_view way) {
  std::vector<std::string> names;
  for (const auto& container : all) {
    if (way == container.way) names.emplace_back(container.name);
    if (name == container.name && way == container.way) return container;
  }
  if (names.empty() && way == "mpiio") {
    throw Error(Blame::user,
                "[io]: way = \"mpiio\" is not there, because Thalweg was built without parallel "
                "netCDF; choose way = \"direct\"");
  }
  throw Error(
      Blame::user,
      fmt::format("[[output]]: container '{}' cannot be written the {} way; choose one of: "
                  "{}.{}",
                  name, way, fmt::join(names, ", "), did_you_mean(std::string(name), names)));
}

}  // namespace thalweg
