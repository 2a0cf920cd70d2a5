// SPDX-License-Identifier: Apache-2.0
// Bytes go to the file in blocks; the name is taken away as soon as there is a file.
#include "base/unnamed_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "base/file_size_signal.hpp"

namespace thalweg {

namespace {

constexpr std::size_t waiting_bytes = std::size_t{48} << 10;

}  // namespace

UnnamedFile::UnnamedFile(const std::string& directory) {
  std::string path = directory + "/.unnamed.XXXXXX";
  file_ = mkostemp(path.data(), O_CLOEXEC);
  if (file_ < 0) {
    status_ = errno;
    return;
  }
  unlink(path.c_str());
  waiting_.reserve(waiting_bytes);
}

UnnamedFile::~UnnamedFile() {
  if (!mapped_.empty()) munmap(mapped_.data(), mapped_.size());
  if (file_ >= 0) ::close(file_);
}

void UnnamedFile::append(std::span<const std::byte> bytes) {
  if (status_ != 0) return;
  waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
  size_ += static_cast<std::int64_t>(bytes.size());
  if (waiting_.size() >= waiting_bytes) flush();
}

void UnnamedFile::flush() {
  const auto* next = waiting_.data();
  auto left = waiting_.size();
  const FileSizeSignalBlocked blocked;
  while (left > 0 && status_ == 0) {
    const auto written = ::write(file_, next, left);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      status_ = written < 0 ? errno : ENOSPC;
      break;
    }
    next += written;
    left -= written;
  }
  waiting_.clear();
}

int UnnamedFile::status() {
  flush();
  return status_;
}

std::span<std::byte> UnnamedFile::map() {
  if (status() != 0 || size_ == 0 || !mapped_.empty()) return mapped_;
  const std::size_t size = size_;
  void* begin = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (begin == MAP_FAILED) {
    status_ = errno;
  } else {
    mapped_ = {static_cast<std::byte*>(begin), size};
  }
  return mapped_;
}

}  // namespace thalweg
