// SPDX-License-Identifier: Apache-2.0
// Reads from the header of a classic netCDF file (CDF-1, CDF-2, CDF-5) where its variables begin,
// which the netCDF library does not tell. Format: "NetCDF classic format specification", Unidata.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace thalweg {

/// Byte of the first value of every variable, by name. Throws Error(file_system) if the file cannot
/// be read or is not such a file.
std::map<std::string, std::int64_t> classic_variable_offsets(const std::string& path);

}  // namespace thalweg
