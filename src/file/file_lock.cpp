// SPDX-License-Identifier: Apache-2.0
// Open file description locks (fcntl(2)).
#include "file/file_lock.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <thread>

#include "thalweg/error.hpp"
#include "thalweg/wait.hpp"

namespace thalweg {

namespace {

constexpr std::chrono::milliseconds nap{50};

struct flock range_of(std::int64_t first, std::int64_t bytes) {
  struct flock range {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = first;
  range.l_len = bytes;  // 0 = all
  return range;
}

}  // namespace

bool has_name(int file, const std::string& path) {
  struct stat own {};
  struct stat named {};
  if (::fstat(file, &own) != 0) return true;
  if (::stat(path.c_str(), &named) != 0) return errno != ENOENT;
  return own.st_ino == named.st_ino && own.st_dev == named.st_dev;
}

bool take_lock(int file, std::int64_t byte) {
  const auto give_up = std::chrono::steady_clock::now() + lock_patience;
  auto range = range_of(byte, 1);
  while (::fcntl(file, F_OFD_SETLK, &range) != 0 && (errno == EAGAIN || errno == EACCES)) {
    if (std::chrono::steady_clock::now() >= give_up) return false;
    note_work();  // who waits for this rank meanwhile hears that it is there
    std::this_thread::sleep_for(nap);
  }
  return true;
}

bool take_all_locks(int file) {
  auto all = range_of(0, 0);
  return ::fcntl(file, F_OFD_SETLK, &all) == 0;
}

DirectoryLock::DirectoryLock(const std::string& directory, const std::string& sentence)
    : path_(directory + "/.lock") {
  std::error_code refused;
  do {
    if (file_ >= 0) ::close(file_);
    std::filesystem::create_directories(directory, refused);
    file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file_ < 0) return;
    if (take_lock(file_, 0)) continue;
    ::close(file_);
    throw Error(Blame::user, sentence);
  } while (!has_name(file_, path_));
}

DirectoryLock::~DirectoryLock() {
  if (file_ < 0) return;
  ::unlink(path_.c_str());
  ::rmdir(std::filesystem::path(path_).parent_path().c_str());  // if nothing was written
  ::close(file_);
}

}  // namespace thalweg
