// SPDX-License-Identifier: Apache-2.0
// Some bytes by pwrite, then their checksum.
#include "restart/part_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/file_size_signal.hpp"
#include "file/aside_file.hpp"
#include "thalweg/error.hpp"
#include "thalweg/wait.hpp"

namespace thalweg {

namespace {

/// The write has brought as much into a core's own cache: its checksum comes at 40 GB/s from there,
/// at 9 GB/s from memory. 64 KiB to 1 MiB measured, beside bare writes of 1 MiB: 0.83, 0.86, 0.90,
/// 0.66, 0.47; the checksum before the write: 0.59 to 0.75. Calls end at multiples of it in the
/// file: the page cache takes memory in pieces as large as they are aligned (8 % of time on
/// Linux 6.18). A part that begins a file has no more calls for that; one in the middle of a shared
/// file, where slabs end elsewhere, up to a quarter more.
constexpr std::int64_t size_of_call = 256 << 10;

}  // namespace

void throw_file_error(const std::string& what, const std::string& path) {
  throw Error(Blame::file_system, fmt::format("cannot {} '{}': {}; the restart set is given up",
                                              what, path, std::strerror(errno)));
}

PartFile::PartFile(std::string path, std::int64_t size_bytes) : path_(std::move(path)) {
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) throw_file_error("create", path_);
  const FileSizeSignalBlocked blocked;
  if (::ftruncate(file_, size_bytes) != 0) throw_file_error("set the size of", path_);
}

PartFile::~PartFile() {
  if (file_ >= 0) ::close(file_);
}

void PartFile::begin_part(std::int64_t rank, std::int64_t offset, std::int64_t index_bytes) {
  entry_ = {rank, offset, 0, index_bytes, {}};
  in_block_ = block_bytes;  // the first byte opens a block
}

void PartFile::append(std::span<const std::byte> slab) {
  for (auto rest = slab; !rest.empty();) {
    if (in_block_ == block_bytes) {
      entry_.blocks.push_back(0);
      in_block_ = 0;
    }
    const auto offset = entry_.offset + entry_.bytes;
    const auto to_edge = size_of_call - offset % size_of_call;
    const auto count = std::min({std::ssize(rest), to_edge, block_bytes - in_block_});
    const auto bytes = rest.first(count);
    write_all(bytes, offset);
    entry_.blocks.back() = crc32(entry_.blocks.back(), bytes);
    entry_.bytes += count;
    in_block_ += count;
    rest = rest.subspan(count);
  }
  note_work();
}

void PartFile::write_all(std::span<const std::byte> bytes, std::int64_t offset) {
  const FileSizeSignalBlocked blocked;
  while (!bytes.empty()) {
    const auto written = ::pwrite(file_, bytes.data(), bytes.size(), offset);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_file_error("write", path_);
    if (written == 0) {  // no progress and no reason: POSIX leaves it open, a full quota does it
      errno = ENOSPC;
      throw_file_error("write", path_);
    }
    bytes = bytes.subspan(written);
    offset += written;
  }
}

PartEntry PartFile::end_part() { return std::move(entry_); }

void PartFile::close() {
  const int file = file_;
  file_ = -1;
  if (::close(file) != 0) throw_file_error("close", path_);
}

}  // namespace thalweg
