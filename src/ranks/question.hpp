// SPDX-License-Identifier: Apache-2.0
// What all ranks ask together in one time step and look at in the next, so that nobody waits for it
// in earnest.
#pragma once

#include <mpi.h>

#include <array>

namespace thalweg {

/// Numbers of every rank, of which each learns the largest. One question at a time; it stays where
/// it is until its answer is there.
template <std::size_t numbers>
class Question {
 public:
  /// Collective over `comm`, without waiting.
  void ask(MPI_Comm comm, const std::array<int, numbers>& mine) {
    mine_ = mine;
    MPI_Iallreduce(mine_.data(), largest_.data(), static_cast<int>(numbers), MPI_INT, MPI_MAX, comm,
                   &request_);
  }
  bool is_open() const { return request_ != MPI_REQUEST_NULL; }
  /// To be waited for, as the asking room does.
  MPI_Request& request() { return request_; }
  /// Once the request is done.
  const std::array<int, numbers>& largest() const { return largest_; }

 private:
  std::array<int, numbers> mine_{}, largest_{};
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace thalweg
