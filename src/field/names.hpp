// SPDX-License-Identifier: Apache-2.0
// Names that every container can hold: of variables, of files, of folders.
#pragma once

#include <string>
#include <string_view>

#include "thalweg/field.hpp"

namespace thalweg {

/// NC_MAX_NAME of netCDF is 256; a field is a folder in Zarr, and folders have 255 bytes.
inline constexpr std::size_t longest_field_name = 255;
/// Leaves room in a file's 255 bytes for partition, date, part and suffix.
inline constexpr std::size_t longest_stream_name = 150;

bool is_utf8(std::string_view text);
/// Throws Error(user), beginning with `what` and the name, unless it is UTF-8 without '/' and
/// control characters, begins with a letter, a digit or '_', and does not end with a blank.
void check_name(std::string_view what, const std::string& name, std::size_t longest);
/// Throws Error(user) unless a field has levels.
constexpr int most_levels = 1'000'000;
void check_levels(const FieldInfo& field);

}  // namespace thalweg
