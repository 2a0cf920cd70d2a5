// SPDX-License-Identifier: Apache-2.0
// Blocks are written behind each other and read from the front; holes are punched where they were.
#include "output/move/spill.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/file_size_signal.hpp"
#include "file/aside_file.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

namespace {

std::string directory_or_default(const std::string& directory) {
  if (!directory.empty()) return directory;
  const char* of_user = std::getenv("TMPDIR");
  return of_user != nullptr && *of_user != '\0' ? of_user : "/tmp";
}

// Gives back the whole pages that end in [begin, end): those that straddle blocks go with the later
// one.
void punch_pages(int file, std::int64_t begin, std::int64_t end) {
  constexpr std::int64_t page = 4096;
  begin = begin / page * page;
  end = end / page * page;
  if (end > begin) fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, begin, end - begin);
}

}  // namespace

Spill::Spill(const std::string& directory, const std::string& name)
    : directory_(directory_or_default(directory)) {
  std::string path = directory_ + "/" + name + ".XXXXXX";
  file_ = mkostemp(path.data(), O_CLOEXEC);
  if (file_ < 0) {
    throw Error(Blame::user,
                fmt::format("[io]: no file for waiting output can be made in '{}' ({}); choose "
                            "another spill_directory",
                            directory_, std::strerror(errno)));
  }
  unlink(path.c_str());
}

Spill::~Spill() { close(file_); }

void Spill::refuse(const char* act, std::int64_t bytes) const {
  throw Error(Blame::file_system,
              fmt::format("[io]: waiting output in '{}' cannot be {} ({} MiB beside {} MiB: {}); "
                          "free room there, choose another spill_directory or backpressure = "
                          "\"block\"",
                          directory_, act, bytes >> 20, bytes_ >> 20, std::strerror(errno)));
}

void Spill::push(std::span<const std::byte> bytes, std::int64_t key) {
  const auto size = static_cast<std::int64_t>(bytes.size());
  const FileSizeSignalBlocked blocked;
  for (std::int64_t done = 0; done < size;) {
    const auto count = pwrite(file_, bytes.data() + done, size - done, end_ + done);
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) errno = ENOSPC;
    if (count <= 0) {
      const int reason = errno;
      [[maybe_unused]] const int given_back = ftruncate(file_, end_);
      errno = reason;
      refuse("written", size);
    }
    done += count;
  }
  blocks_.push_back({key, size});
  end_ += size;
  bytes_ += size;
}

std::int64_t Spill::pop(std::span<std::byte> into) {
  if (blocks_.empty() || static_cast<std::int64_t>(into.size()) < blocks_.front().bytes) {
    throw Error(Blame::bug, "waiting output was asked for where there is none, or no room for it");
  }
  const auto [key, size] = blocks_.front();
  for (std::int64_t done = 0; done < size;) {
    const auto count = pread(file_, into.data() + done, size - done, begin_ + done);
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) errno = EIO;
    if (count <= 0) refuse("read", size);
    done += count;
  }
  blocks_.pop_front();
  bytes_ -= size;
  // Where the file system refuses, the room comes back later, at the latest with the file.
  begin_ += size;
  if (!blocks_.empty()) {
    punch_pages(file_, begin_ - size, begin_);
  } else if (ftruncate(file_, 0) == 0) {
    begin_ = end_ = 0;
  }
  return key;
}

}  // namespace thalweg
