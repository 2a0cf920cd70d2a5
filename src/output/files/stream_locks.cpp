// SPDX-License-Identifier: Apache-2.0
// Open file description locks (fcntl(2)): one byte for each stream's name, in one file.
#include "output/files/stream_locks.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <span>
#include <thread>

#include "base/crc32.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

namespace {

constexpr std::chrono::seconds patience{5};  // the ranks of a killed run are gone by then
constexpr std::chrono::milliseconds nap{50};
constexpr std::int64_t byte_of_all = std::int64_t{1} << 32U;  // behind those of streams

struct flock range_of(std::int64_t first, std::int64_t bytes) {
  struct flock range {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = first;
  range.l_len = bytes;  // 0 = all
  return range;
}

/// False if another output has it.
bool lock(int file, struct flock range) {
  return ::fcntl(file, F_OFD_SETLK, &range) == 0 || (errno != EAGAIN && errno != EACCES);
}

/// Has an output that ended just now removed the file?
bool is_removed(int file) {
  struct stat status {};
  return ::fstat(file, &status) == 0 && status.st_nlink == 0;
}

}  // namespace

StreamLocks::StreamLocks(const std::string& directory, const std::vector<std::string>& streams)
    : directory_(directory) {
  const auto give_up = std::chrono::steady_clock::now() + patience;
  std::error_code refused;  // told by the first journal
  do {
    if (file_ >= 0) ::close(file_);
    std::filesystem::create_directory(directory, refused);
    file_ = ::open(path().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file_ < 0) return;
    for (const auto& stream : streams) {
      const auto byte = range_of(crc32(0, std::as_bytes(std::span(stream))), 1);
      while (!lock(file_, byte)) {
        if (std::chrono::steady_clock::now() < give_up) {
          std::this_thread::sleep_for(nap);
          continue;
        }
        ::close(file_);
        throw Error(Blame::user,
                    fmt::format("[[output]] '{}': another output writes the files of a stream of "
                                "that name, with journals in '{}'; give each output a directory, "
                                "or its streams names, of their own",
                                stream, directory));
      }
    }
  } while (is_removed(file_));
}

StreamLocks::~StreamLocks() {
  if (file_ < 0) return;
  auto all = range_of(0, 0);
  if (::fcntl(file_, F_OFD_SETLK, &all) == 0) {  // nobody else has a lock
    ::unlink(path().c_str());
    ::rmdir(directory_.c_str());  // if there are no journals
  }
  ::close(file_);
}

JournalLock::JournalLock(const std::string& directory) {
  file_ = ::open((directory + "/.lock").c_str(), O_RDWR | O_CLOEXEC);
  const auto give_up = std::chrono::steady_clock::now() + patience;
  while (file_ >= 0 && !lock(file_, range_of(byte_of_all, 1)) &&
         std::chrono::steady_clock::now() < give_up)
    std::this_thread::sleep_for(nap);
}

JournalLock::~JournalLock() {
  if (file_ >= 0) ::close(file_);
}

std::string StreamLocks::path() const { return directory_ + "/.lock"; }

}  // namespace thalweg
