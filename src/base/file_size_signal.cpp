// SPDX-License-Identifier: Apache-2.0
// The signal is held back in this thread, and taken away before it is let through again.
#include "base/file_size_signal.hpp"

#include <cerrno>
#include <ctime>

namespace thalweg {

namespace {

sigset_t file_size_signal() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGXFSZ);
  return set;
}

}  // namespace

FileSizeSignalBlocked::FileSizeSignalBlocked() {
  const sigset_t signal = file_size_signal();
  pthread_sigmask(SIG_BLOCK, &signal, &before_);
}

FileSizeSignalBlocked::~FileSizeSignalBlocked() {
  if (sigismember(&before_, SIGXFSZ) == 1) return;  // somebody else holds it back
  const sigset_t signal = file_size_signal();
  const timespec at_once{};
  const int status = errno;
  while (sigtimedwait(&signal, nullptr, &at_once) == SIGXFSZ) {
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  errno = status;
}

}  // namespace thalweg
