// SPDX-License-Identifier: Apache-2.0
// The life of a set on disk: DATE.part, DATE with its manifest, removed when it is old.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "restart/manifest.hpp"
#include "restart/retention.hpp"

namespace thalweg {

/// Where the files of a set are written until it is whole.
std::string unfinished_path(const std::string& directory, const std::string& date);

/// Makes `directory` and the unfinished set's own. Any rank may call it, at any time before it
/// writes. Throws Error(file_system).
void make_set_directory(const std::string& directory, const std::string& date);

/// One rank, after every file is written: the manifest, then the final name. A set of the same date
/// makes way. Then removes what is too old: whole sets before this one that `kept` does not name,
/// and what interrupted runs left. Throws Error(file_system) if the set is not whole then.
void complete_set(const std::string& directory, const Manifest& manifest, const KeptSets& kept);

/// Removes an unfinished set: its space may be what is missing. Never throws.
void give_up_set(const std::string& directory, const std::string& date) noexcept;

/// Which of two sets is of an earlier time, by their dates; "" is before all.
bool is_earlier(std::string_view date, std::string_view other);

/// Removes the sets of later times than this date, whole or not; of "", all. Throws
/// Error(file_system).
void remove_sets_after(const std::string& directory, const std::string& date);

/// Dates of all sets below the directory, whole or not, the newest first; none if it is not there.
/// Throws Error(file_system).
std::vector<std::string> list_sets(const std::string& directory);

/// Reads and parses the manifest of a set. Throws Error(file_system).
Manifest read_manifest(const std::string& set_path);

}  // namespace thalweg
