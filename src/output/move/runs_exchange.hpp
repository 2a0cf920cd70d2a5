// SPDX-License-Identifier: Apache-2.0
// Definitions and index runs travel from compute ranks to whoever writes.
#pragma once

#include <functional>
#include <vector>

#include "output/deal/definition.hpp"
#include "ranks/failure_news.hpp"
#include "ranks/ranks.hpp"
#include "redist/plan.hpp"

namespace thalweg {

/// Starts sending this rank's runs; wait for the requests before `message` goes away.
struct RunsMessage {
  std::vector<std::int64_t> packed;
  std::vector<MPI_Request> requests;
};
void send_runs(const OwnedRuns& runs, int destination, MPI_Comm comm, RunsMessage& message);

/// Receives the runs of ranks 0 ... sources-1 of `comm`; `own` stands in for `comm`'s own rank if
/// it is one.
std::vector<OwnedRuns> receive_runs(int sources, MPI_Comm comm, const OwnedRuns* own);

/// From compute rank 0 to every I/O rank, and there.
void send_definition(const Definition& definition, const Ranks& ranks);
/// Collective with the compute ranks. Throws why, if a compute rank leaves before it has sent them.
Definition receive_definition(const Ranks& ranks, const OutputSettings& settings,
                              FailureNews& news);

/// Sleeps until a message is there, and looks up for `meanwhile`. No time limit: a model may
/// compute for hours between outputs, and the launcher ends this rank when another one dies.
MPI_Status await_message(int source, int tag, MPI_Comm comm,
                         const std::function<void()>& meanwhile = {});

}  // namespace thalweg
