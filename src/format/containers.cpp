// SPDX-License-Identifier: Apache-2.0
// Every container Thalweg knows. To add one: write <name>.cpp, declare it in container_list.hpp and
// add its line here.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "format/container_list.hpp"
#include "format/netcdf_calls.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

namespace {
constexpr std::array all{
    ContainerInfo{"netcdf4", "direct", ".nc", "netCDF-4 (HDF5), CF-1.11 and UGRID metadata", false,
                  false, create_netcdf4, nullptr, nullptr},
    ContainerInfo{"grib2", "direct", ".grb2", "GRIB edition 2, values packed into few bits", false,
                  true, create_grib2, join_grib2, check_grib2},
};
}  // namespace

std::span<const ContainerInfo> containers() { return all; }

const ContainerInfo& find_container(std::string_view name, std::string_view way) {
  std::vector<std::string> names;
  for (const auto& container : all) {
    if (way == container.way) names.emplace_back(container.name);
    if (name == container.name && way == container.way) return container;
  }
  throw Error(Blame::user,
              fmt::format("[[output]]: container '{}' cannot be written the {} way; choose one of: "
                          "{}.{}",
                          name, way, fmt::join(names, ", "), did_you_mean(std::string(name), names)));
}

void rename_to_final(const std::string& path) {
  std::error_code refused;
  std::filesystem::rename(path + ".part", path, refused);
  if (!refused) return;
  throw Error(Blame::file_system,
              fmt::format("cannot give '{}.part' its final name: {}", path,
                          refusal_reason(path, refused.value())));
}

}  // namespace thalweg
