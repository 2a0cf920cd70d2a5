// SPDX-License-Identifier: Apache-2.0
// A way out of calls of MPI that nobody can give up.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace thalweg {

/// While it lives, this rank is in blocking calls of MPI that do nothing but wait for others: make
/// or free a communicator or a window, open a file, write a batch of it together. If that lasts
/// longer than the time limit of waits, the rank says for what it has waited and ends the program
/// on all ranks: there is no way back out of such a call. Time in which this rank did not run does
/// not count.
class CallLimit {
 public:
  explicit CallLimit(std::string_view what);
  /// `known`: what went wrong before, for which others may wait in vain; the limit is some seconds.
  CallLimit(std::string_view what, std::string_view known);
  ~CallLimit();
  CallLimit(const CallLimit&) = delete;
  CallLimit& operator=(const CallLimit&) = delete;

 private:
  void watch();

  std::string sentence_;
  double limit_s_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool back_ = false;
  std::thread watcher_;
};

}  // namespace thalweg
