// SPDX-License-Identifier: Apache-2.0
// A limit of file sizes is an error of the call that meets it, never the end of the process.
#pragma once

#include <csignal>

namespace thalweg {

/// While it lives, a file that outgrows its limit (ulimit -f) makes the call fail instead of ending
/// the process by SIGXFSZ.
class FileSizeSignalBlocked {
 public:
  FileSizeSignalBlocked();
  ~FileSizeSignalBlocked();
  FileSizeSignalBlocked(const FileSizeSignalBlocked&) = delete;
  FileSizeSignalBlocked& operator=(const FileSizeSignalBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace thalweg
