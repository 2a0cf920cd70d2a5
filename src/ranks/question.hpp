// SPDX-License-Identifier: Apache-2.0
// What all ranks ask together in one time step and look at in the next, so that nobody waits for it
// in earnest.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>

#include "ranks/pending.hpp"

namespace thalweg {

/// Numbers of every rank, of which each learns the largest. One question at a time.
template <int count>
class Question {
 public:
  /// Collective over `comm`, without waiting.
  void ask(MPI_Comm comm, const std::array<std::int64_t, count>& mine) {
    asked_->mine = mine;
    MPI_Iallreduce(asked_->mine.data(), asked_->largest.data(), count, MPI_INT64_T, MPI_MAX, comm,
                   &asked_.request());
  }
  bool is_open() const { return asked_.is_open(); }
  /// To be waited for, as the asking room does.
  MPI_Request& request() { return asked_.request(); }
  /// Once the request is done.
  const std::array<std::int64_t, count>& largest() { return asked_->largest; }

 private:
  struct Numbers {
    std::array<std::int64_t, count> mine{}, largest{};
  };
  Pending<Numbers> asked_;
};

}  // namespace thalweg
