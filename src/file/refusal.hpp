// SPDX-License-Identifier: Apache-2.0
// Why a file system refused something, in words.
#pragma once

#include <cstdint>
#include <string>

namespace thalweg {

/// Why the file system may have refused `path`: free space and directory looked at, e.g. "the disk
/// is full"; else what `status`, an errno, means.
std::string refusal_reason(const std::string& path, int status);

/// The same, else `otherwise`: for libraries whose status is not an errno.
std::string refusal_reason(const std::string& path, int status, const std::string& otherwise);

/// Throws Error(file_system) "cannot WHAT 'PATH': REASON" for errno.
[[noreturn]] void refuse_file(const char* what, const std::string& path, int status);
/// "" if so many more bytes fit on the disk of `path`, or if nobody can tell; else as a clause that
/// they do not.
std::string lack_of_room(const std::string& path, std::int64_t bytes);

}  // namespace thalweg
