// SPDX-License-Identifier: Apache-2.0
// Short messages that were sent and whose memory must live until they have left.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ranks/agreement.hpp"

namespace thalweg {

/// Sends texts and lists of integers without waiting; both travel as bytes.
class Outbox {
 public:
  explicit Outbox(MPI_Comm comm) : comm_(comm) {}

  void post_text(int destination, int tag, std::string text) {
    forget_sent();
    auto& message = messages_.emplace_back(Message{std::move(text), MPI_REQUEST_NULL});
    MPI_Isend(message.bytes.data(), static_cast<int>(message.bytes.size()), MPI_BYTE, destination,
              tag, comm_, &message.request);
  }
  void post_words(int destination, int tag, const std::vector<std::int64_t>& words) {
    post_text(destination, tag,
              {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(std::int64_t)});
  }

  /// Waits until everything has left.
  void drain(std::string_view what) {
    for (auto& message : messages_) wait_for(message.request, what);
    messages_.clear();
  }

 private:
  struct Message {
    std::string bytes;
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

/// Takes the message that a probe found.
inline std::string take_text(const MPI_Status& status, MPI_Comm comm) {
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  std::string text(size, '\0');
  MPI_Recv(text.data(), size, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, comm, MPI_STATUS_IGNORE);
  return text;
}

inline std::vector<std::int64_t> words_of(std::string_view text) {
  std::vector<std::int64_t> words(text.size() / sizeof(std::int64_t));
  std::memcpy(words.data(), text.data(), words.size() * sizeof(std::int64_t));
  return words;
}

/// Takes the message that a probe found, a list of integers.
inline std::vector<std::int64_t> take_words(const MPI_Status& status, MPI_Comm comm) {
  return words_of(take_text(status, comm));
}

}  // namespace thalweg
