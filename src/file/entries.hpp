// SPDX-License-Identifier: Apache-2.0
// What has a name on a disk: what nobody can look at does not count as not there.
#pragma once

#include <string>
#include <vector>

namespace thalweg {

/// False if nothing has this name, or a link of this name leads nowhere. Throws Error(file_system)
/// if nobody can tell.
bool is_present(const std::string& path);
/// The same of a directory; false for anything else.
bool is_a_directory(const std::string& path);
/// Names of all that lies in a directory, in no order; none if there is no such directory. Throws
/// Error(file_system).
std::vector<std::string> names_in(const std::string& directory);
/// Without links and dots, as far as it is there: one name for each place.
std::string whole_path(const std::string& path);
/// Removes a file, or a directory with all in it, under the name `aside`: a kill leaves no half of
/// it under its own. What had that name goes, too. Throws Error(file_system).
void remove_whole(const std::string& path, const std::string& aside);

}  // namespace thalweg
