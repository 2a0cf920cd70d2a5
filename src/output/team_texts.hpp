// SPDX-License-Identifier: Apache-2.0
// Short texts between the writers of one file. Every wait has a time limit.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

namespace thalweg {

/// From rank 0 to all. Collective.
std::string share_text(MPI_Comm team, const std::string& text);
/// To rank 0: [rank], empty elsewhere. Collective.
std::vector<std::string> gather_texts(MPI_Comm team, const std::string& mine);
/// From rank 0 (texts[rank]) to each its own. Collective.
std::string deal_texts(MPI_Comm team, const std::vector<std::string>& texts);
/// True if it is true on every rank. Collective.
bool all_of_team(MPI_Comm team, bool mine);

}  // namespace thalweg
