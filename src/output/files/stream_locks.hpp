// SPDX-License-Identifier: Apache-2.0
// Two outputs that write the same files would destroy each other's: a stream has one writer.
#pragma once

#include <string>
#include <vector>

#include "file/file_lock.hpp"

namespace thalweg {

/// Held by one rank of an output while it is open; the system lets go of them when a process ends.
class StreamLocks {
 public:
  /// Locks lie in the directory of the journals, which is made. Throws Error(user) if another
  /// output holds one of them and does not let go within a few seconds, as the ranks of a killed
  /// run do. Where locks cannot be had (a file system without them), there are none.
  StreamLocks(const std::string& directory, const std::vector<std::string>& streams);
  ~StreamLocks();
  StreamLocks(const StreamLocks&) = delete;
  StreamLocks& operator=(const StreamLocks&) = delete;

 private:
  std::string path() const;
  std::string directory_;
  LockedFile locked_;
};

/// Held while a file that several outputs share is changed, begun.json or reached.json. Goes on
/// without after a few seconds, and where locks cannot be had.
class JournalLock {
 public:
  explicit JournalLock(const std::string& directory);
  ~JournalLock();
  JournalLock(const JournalLock&) = delete;
  JournalLock& operator=(const JournalLock&) = delete;

 private:
  int file_ = -1;
};

}  // namespace thalweg
