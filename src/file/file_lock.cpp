// SPDX-License-Identifier: Apache-2.0
// Open file description locks (fcntl(2)).
#include "file/file_lock.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <mutex>
#include <thread>
#include <vector>

#include "thalweg/error.hpp"
#include "thalweg/wait.hpp"

namespace thalweg {

namespace {

constexpr std::chrono::milliseconds nap{50};
constexpr int most_tries = 1000;  // to open a file whose directory others remove

struct flock range_of(std::int64_t first, std::int64_t bytes) {
  struct flock range {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = first;
  range.l_len = bytes;  // 0 = all
  return range;
}

struct Held {
  int file;  ///< open with the lock
  dev_t device;
  ino_t number;
  std::int64_t byte;
  pid_t process;  ///< a child that was forked has the book, and no lock
};
/// Locks of this process, for who would wait for itself.
class Book {
 public:
  void note(int file, std::int64_t byte) {
    struct stat at {};
    if (::fstat(file, &at) != 0) return;
    const std::lock_guard alone(alone_);
    held_.push_back({file, at.st_dev, at.st_ino, byte, ::getpid()});
  }
  /// Was any of its locks taken by this process?
  bool forget(int file) {
    const std::lock_guard alone(alone_);
    bool own = false;
    std::erase_if(held_, [&](const Held& each) {
      own = own || (each.file == file && each.process == ::getpid());
      return each.file == file;
    });
    return own;
  }
  /// Has this process the lock through another open file?
  bool has_other(int file, std::int64_t byte) {
    struct stat at {};
    if (::fstat(file, &at) != 0) return false;
    const std::lock_guard alone(alone_);
    return std::any_of(held_.begin(), held_.end(), [&](const Held& each) {
      return each.file != file && each.process == ::getpid() && each.device == at.st_dev &&
             each.number == at.st_ino && each.byte == byte;
    });
  }

 private:
  std::mutex alone_;
  std::vector<Held> held_;
};
Book& book() {
  static auto* const one = new Book;  // for good: an output may be closed after all destructors
  return *one;
}

/// Has the file that is open here this name still?
bool has_name(int file, const std::string& path) {
  struct stat own {};
  struct stat named {};
  if (::fstat(file, &own) != 0) return true;
  if (::stat(path.c_str(), &named) != 0) return errno != ENOENT;
  return own.st_ino == named.st_ino && own.st_dev == named.st_dev;
}

}  // namespace

bool take_lock(int file, std::int64_t byte) {
  // Whatever the file system says. Nobody lets go of it meanwhile: calls take turns.
  if (book().has_other(file, byte)) return false;
  const auto give_up = std::chrono::steady_clock::now() + lock_patience;
  auto range = range_of(byte, 1);
  while (::fcntl(file, F_OFD_SETLK, &range) != 0 && (errno == EAGAIN || errno == EACCES)) {
    if (std::chrono::steady_clock::now() >= give_up) return false;
    note_work();  // who waits for this rank meanwhile hears that it is there
    std::this_thread::sleep_for(nap);
  }
  book().note(file, byte);
  return true;
}

void close_locked(int file) {
  if (book().forget(file)) {  // a child that was forked has the open file, too
    auto all = range_of(0, 0);
    all.l_type = F_UNLCK;
    ::fcntl(file, F_OFD_SETLK, &all);
  }
  ::close(file);
}

bool take_all_locks(int file) {
  auto all = range_of(0, 0);
  return ::fcntl(file, F_OFD_SETLK, &all) == 0;
}

LockedFile open_locked(const std::string& path, const std::function<void(int file)>& take) {
  for (int tries = 0;;) {
    std::error_code refused;
    const bool made =
        std::filesystem::create_directory(std::filesystem::path(path).parent_path(), refused);
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    // The directory was removed between the two, and not for good.
    if (file < 0 && errno == ENOENT && !refused && ++tries < most_tries) continue;
    if (file < 0) return {};
    try {
      take(file);
    } catch (...) {
      close_locked(file);
      throw;
    }
    if (has_name(file, path)) return {file, made};
    close_locked(file);
  }
}

void remove_locked(int file, const std::string& path) {
  if (has_name(file, path)) ::unlink(path.c_str());
  close_locked(file);
}

DirectoryLock::DirectoryLock(const std::string& directory, const std::string& sentence)
    : path_(directory + "/.lock") {
  std::error_code refused;
  const bool made = std::filesystem::create_directories(directory, refused);
  locked_ = open_locked(path_, [&](int file) {
    if (!take_lock(file, 0)) throw Error(Blame::user, sentence);
  });
  locked_.made_directory |= made;
}

DirectoryLock::~DirectoryLock() {
  if (locked_.file < 0) return;
  remove_locked(locked_.file, path_);
  if (locked_.made_directory)
    ::rmdir(std::filesystem::path(path_).parent_path().c_str());  // if nothing was written
}

}  // namespace thalweg
