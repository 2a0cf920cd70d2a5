// SPDX-License-Identifier: Apache-2.0
// Every container Thalweg knows. To add one: write <name>.cpp and add its line here.
#include <array>

#include "format/container.hpp"

namespace thalweg {

namespace {
constexpr std::array all{
    ContainerInfo{"netcdf4", ".nc", "netCDF-4 (HDF5), CF-1.11 and UGRID metadata", create_netcdf4},
};
}  // namespace

std::span<const ContainerInfo> containers() { return all; }

}  // namespace thalweg
