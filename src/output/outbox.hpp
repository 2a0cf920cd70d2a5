// SPDX-License-Identifier: Apache-2.0
// Small messages that were sent and whose memory must live until they have left.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <deque>
#include <string_view>
#include <utility>
#include <vector>

#include "thalweg/wait.hpp"

namespace thalweg {

/// Sends short lists of integers without waiting.
class Outbox {
 public:
  explicit Outbox(MPI_Comm comm) : comm_(comm) {}

  void post(int destination, int tag, std::vector<std::int64_t> values) {
    forget_sent();
    auto& message = messages_.emplace_back(Message{std::move(values), MPI_REQUEST_NULL});
    MPI_Isend(message.values.data(), static_cast<int>(message.values.size()), MPI_INT64_T,
              destination, tag, comm_, &message.request);
  }

  /// Waits until everything has left.
  void drain(std::string_view what) {
    for (auto& message : messages_) wait_all({&message.request, 1}, what);
    messages_.clear();
  }

 private:
  struct Message {
    std::vector<std::int64_t> values;
    MPI_Request request;
  };

  void forget_sent() {
    while (!messages_.empty()) {
      int sent = 0;
      MPI_Test(&messages_.front().request, &sent, MPI_STATUS_IGNORE);
      if (sent == 0) return;
      messages_.pop_front();
    }
  }

  MPI_Comm comm_;
  std::deque<Message> messages_;  // a deque: messages do not move while others come and go
};

}  // namespace thalweg
