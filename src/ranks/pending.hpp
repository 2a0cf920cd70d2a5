// SPDX-License-Identifier: Apache-2.0
// A collective that does not block, with the numbers that MPI reads and writes until it is done.
#pragma once

#include <mpi.h>

#include <memory>
#include <utility>
#include <vector>

namespace thalweg {

/// Where the wait for it is given up, the numbers are left behind: MPI may use them as long as the
/// program lasts.
template <class Numbers>
class Pending {
 public:
  Pending() : state_(std::make_unique<State>()) {}
  Pending(Pending&&) noexcept = default;
  Pending& operator=(Pending&&) = delete;
  ~Pending() {
    if (!state_ || state_->request == MPI_REQUEST_NULL) return;
    static std::vector<std::unique_ptr<State>> left_behind;
    left_behind.push_back(std::move(state_));
  }

  Numbers& operator*() { return state_->numbers; }
  Numbers* operator->() { return &state_->numbers; }
  MPI_Request& request() { return state_->request; }
  bool is_open() const { return state_->request != MPI_REQUEST_NULL; }

 private:
  struct State {
    Numbers numbers{};
    MPI_Request request = MPI_REQUEST_NULL;
  };
  std::unique_ptr<State> state_;
};

}  // namespace thalweg
