// SPDX-License-Identifier: Apache-2.0
// Reads from the header of a classic netCDF file (CDF-1, CDF-2, CDF-5) where its variables lie,
// which the netCDF library does not tell. Format: "NetCDF classic format specification", Unidata.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace thalweg {

/// Bytes of a file: of the values of a variable, or of one record of it.
struct ClassicRange {
  std::int64_t begin = 0, end = 0;
};

/// By name. Throws Error(file_system) if the file cannot be read, Error(user) if it is not such a
/// file.
std::map<std::string, ClassicRange> classic_variables(const std::string& path);

/// Throws Error(user): put the file back.
[[noreturn]] void refuse_classic_header(const std::string& path);

}  // namespace thalweg
