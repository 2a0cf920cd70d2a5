// SPDX-License-Identifier: Apache-2.0
// Who is who in an output: communicators, compute ranks, writers.
#pragma once

#include <mpi.h>

#include <string>

namespace thalweg {

/// The communicators of an output: private copies, so that no message meets the model's. Restart
/// ranks are in none of them.
struct Ranks {
  MPI_Comm control =
      MPI_COMM_NULL;              ///< compute ranks, then I/O ranks: announcements, credits, errors
  MPI_Comm data = MPI_COMM_NULL;  ///< the same ranks: values
  MPI_Comm compute = MPI_COMM_NULL;  ///< compute ranks only; null on I/O ranks
  int rank = 0;                      ///< in control and data
  int compute_ranks = 1, io_ranks = 0;
  int writers =
      1;  ///< ranks that write: the I/O ranks, or the first compute ranks if there are none

  bool is_compute() const { return rank < compute_ranks; }
  bool dedicated() const { return io_ranks > 0; }
  int rank_of_writer(int writer) const { return dedicated() ? compute_ranks + writer : writer; }
  /// For sentences; `rank` of control.
  std::string name_of(int rank) const {
    return (rank < compute_ranks ? "compute rank " : "I/O rank ") + std::to_string(rank);
  }
  /// This rank's number among the writers, or -1.
  int writer() const {
    const int number = dedicated() ? rank - compute_ranks : rank;
    return number >= 0 && number < writers ? number : -1;
  }
};

}  // namespace thalweg
