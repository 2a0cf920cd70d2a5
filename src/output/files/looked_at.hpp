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

/// One rank: `look` while nobody writes files of this output, and remembers what its journals and
/// those of the outputs `beside` it were like before. Throws Error(user) if another output writes
/// its files and does not end within a few seconds.
void look_alone(const Definition& output, std::span<const Definition> beside,
                const std::function<void()>& look);
/// The same rank, with the locks of the streams, before anything is changed. Throws Error(user) if
/// files that go on were written by another program since look_alone(), or those of an output
/// beside: where this one is to begin was found in files that are not so any more.
void require_as_seen(const Definition& definition);
/// The other ranks of an output that begins: they may look for one beside it, which begins later.
void note_begun(const Definition& definition);
void note_ended(const Definition& definition);

}  // namespace thalweg
