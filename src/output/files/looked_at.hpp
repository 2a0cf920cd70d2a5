// SPDX-License-Identifier: Apache-2.0
// What a program saw where it looked for its beginning: another one may have written there since.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "output/deal/definition.hpp"

namespace thalweg {

/// Of the locks of its streams and of their partitions.
std::vector<std::string> names_of_locks(const Definition& definition);

/// One rank: `look` while nobody writes files of these streams, and remembers what the journals
/// were like then. Throws Error(user) if another output writes them and does not end within a few
/// seconds.
void look_alone(const OutputSettings& settings, std::span<const StreamSettings> streams,
                const std::function<void()>& look);
/// The same rank, with the locks of the streams. Throws Error(user) if another program has written
/// them since look_alone(): where this one is to begin was found in files that are not so any more.
void require_as_seen(const Definition& definition);

}  // namespace thalweg
