// SPDX-License-Identifier: Apache-2.0
// netCDF-C with exceptions: one check, and short forms for attributes and variables.
#pragma once

#include <netcdf.h>

#include <string>
#include <vector>

#include "thalweg/error.hpp"

namespace thalweg {

/// Why the file system may have refused `path`: free space and directory looked at, e.g. "the disk
/// is full".
std::string refusal_reason(const std::string& path, int status);

/// Throws Error(file_system): "cannot WHAT 'PATH': REASON".
void check_netcdf(int status, const char* what, const std::string& path);

void put_text(int ncid, int variable, const char* name, const std::string& text);

}  // namespace thalweg
