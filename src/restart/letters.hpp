// SPDX-License-Identifier: Apache-2.0
// Short messages of bytes that were sent and whose memory must live until they have left.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "restart/agreement.hpp"

namespace thalweg {

/// Sends texts and lists of integers without waiting.
class Letters {
 public:
  explicit Letters(MPI_Comm comm) : comm_(comm) {}

  void post(int destination, int tag, std::string text) {
    forget_sent();
    auto& letter = letters_.emplace_back(Letter{std::move(text), MPI_REQUEST_NULL});
    MPI_Isend(letter.text.data(), static_cast<int>(letter.text.size()), MPI_BYTE, destination, tag,
              comm_, &letter.request);
  }
  void post(int destination, int tag, std::span<const std::int64_t> words) {
    post(destination, tag, {reinterpret_cast<const char*>(words.data()), words.size_bytes()});
  }

  /// Waits until everything has left.
  void drain(std::string_view what) {
    for (auto& letter : letters_) wait_for(letter.request, what);
    letters_.clear();
  }

 private:
  struct Letter {
    std::string text;
    MPI_Request request;
  };

  void forget_sent() {
    while (!letters_.empty()) {
      int sent = 0;
      MPI_Test(&letters_.front().request, &sent, MPI_STATUS_IGNORE);
      if (sent == 0) return;
      letters_.pop_front();
    }
  }

  MPI_Comm comm_;
  std::deque<Letter> letters_;  // a deque: letters do not move while others come and go
};

/// Takes the message that a probe found.
inline std::string take_letter(const MPI_Status& status, MPI_Comm comm) {
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  std::string text(static_cast<std::size_t>(size), '\0');
  MPI_Recv(text.data(), size, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, comm, MPI_STATUS_IGNORE);
  return text;
}

inline std::vector<std::int64_t> words_of(std::string_view text) {
  std::vector<std::int64_t> words(text.size() / sizeof(std::int64_t));
  std::memcpy(words.data(), text.data(), words.size() * sizeof(std::int64_t));
  return words;
}

}  // namespace thalweg
