// SPDX-License-Identifier: Apache-2.0
// Locks of single bytes of a file: who has one keeps others away, in this process or another.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace thalweg {

constexpr std::chrono::seconds lock_patience{5};  ///< the ranks of a killed run are gone by then

/// Waits for who has it, lock_patience at most; not where this process has it through another open
/// file, even if locks cannot be had. False if that is another one still; true if it is this open
/// file's, or locks cannot be had (a file system without them). It goes with the file, which
/// `close_locked` closes, or the system when a process and what it forked end.
bool take_lock(int file, std::int64_t byte);
void close_locked(int file);
/// Has nobody else any lock of this file? Then all of it is locked.
bool take_all_locks(int file);

struct LockedFile {
  int file = -1;                ///< -1 = it cannot be had
  bool made_directory = false;  ///< else that was there before
};
/// Opens a file of locks, made with its directory; `take` locks it, or throws. Both again where one
/// that ended just now has removed it.
LockedFile open_locked(const std::string& path, const std::function<void(int file)>& take);
/// Removes the file, if it is the one that is open here, and closes that.
void remove_locked(int file, const std::string& path);

/// Of a directory that one may write into at a time, as the file ".lock" in it. What it made goes
/// with it, if nothing else is in there.
class DirectoryLock {
 public:
  /// Makes the directory. Throws Error(user) with `sentence` if another one has it. What cannot be
  /// made is told by who writes there.
  DirectoryLock(const std::string& directory, const std::string& sentence);
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

 private:
  std::string path_;
  LockedFile locked_;
};

}  // namespace thalweg
