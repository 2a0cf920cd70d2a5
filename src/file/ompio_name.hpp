// SPDX-License-Identifier: Apache-2.0
// A name that a killed run leaves behind on its node, and that stops each run after it.
#pragma once

#include <string>

namespace thalweg {

/// Before ranks open the file `path` by MPI-IO together, on each of them: removes the semaphore
/// that Open MPI's OMPIO (sharedfp/sm, 4.1.4) knows by the last part of `path`. Rank 0 holds it for
/// a moment while it opens a file. Killed just then it holds it for ever, and whoever opens a file
/// of that name on the node waits. No rank looks for the name before all have begun to open, and
/// who has the semaphore needs its name no more. Another user's stays (but for root), and a warning
/// names it: OMPIO refuses the file then. With other MPIs there is no such name, and nothing
/// happens.
void free_ompio_name(const std::string& path);

}  // namespace thalweg
