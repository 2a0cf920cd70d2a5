// SPDX-License-Identifier: Apache-2.0
// Large writes into a file that has not got its final name yet, through the page cache or past it.
#include "file/aside_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "base/file_size_signal.hpp"
#include "base/page_bytes.hpp"
#include "file/checksum_log.hpp"
#include "file/refusal.hpp"
#include "thalweg/error.hpp"
#include "thalweg/timers.hpp"
#include "timing/trace_calls.hpp"

namespace thalweg {

namespace {

// Smaller ones always go through the cache.
constexpr std::size_t large_write = std::size_t{1} << 20U;

}  // namespace

AsideFile::AsideFile(const std::string& path, Open how) : aside_(path + ".part") {
  if (how == Open::create) forget_written(aside_);
  const int flags = O_WRONLY | O_CLOEXEC | (how == Open::create ? O_CREAT | O_TRUNC : 0);
  do descriptor_ = ::open(aside_.c_str(), flags, 0666);
  while (descriptor_ < 0 && errno == EINTR);
  if (descriptor_ < 0) refuse_file(how == Open::create ? "create" : "open", aside_, errno);
  struct stat status {};
  ways_ = &write_ways(::fstat(descriptor_, &status) == 0 ? status.st_dev : 0);
}

void AsideFile::write(const void* data, std::size_t bytes, std::int64_t offset) const {
  trace_calls("write");
  const auto* next = static_cast<const std::byte*>(data);
  note_written(aside_, offset, {next, bytes});
  const FileSizeSignalBlocked blocked;
  const bool either_way = bytes >= large_write && offset % std::int64_t{page_bytes} == 0 &&
                          reinterpret_cast<std::uintptr_t>(data) % page_bytes == 0;
  if (!either_way) return write_cached(next, bytes, offset);
  const auto choice = ways_->choose();
  const auto tried = choice.trial ? std::min<std::size_t>(bytes, WriteWays::trial_bytes) : bytes;
  write_one_way(next, tried, offset, choice.past_cache);
  if (tried == bytes) return;
  write_one_way(next + tried, bytes - tried, offset + static_cast<std::int64_t>(tried),
                !choice.past_cache);
}

void AsideFile::write_one_way(const std::byte* data, std::size_t bytes, std::int64_t offset,
                              bool past_cache) const {
  const double begin_s = now_s();
  const auto done = past_cache ? write_past_cache(data, bytes, offset) : 0;
  write_cached(data + done, bytes - done, offset + static_cast<std::int64_t>(done));
  ways_->note(past_cache, static_cast<std::int64_t>(bytes), now_s() - begin_s);
  record_past_cache(static_cast<std::int64_t>(done));
}

// Whole pages. What is refused here is left to the page cache, which says why or takes it.
std::size_t AsideFile::write_past_cache(const std::byte* data, std::size_t bytes,
                                        std::int64_t offset) const {
  std::size_t done = 0;
#ifdef O_DIRECT
  if (past_cache_ < 0) past_cache_ = ::open(aside_.c_str(), O_WRONLY | O_CLOEXEC | O_DIRECT);
  const auto whole = bytes / page_bytes * page_bytes;
  while (past_cache_ >= 0 && done < whole) {
    const auto written =
        ::pwrite(past_cache_, data + done, whole - done, offset + static_cast<std::int64_t>(done));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    done += written;
  }
  if (done == whole) return done;
#endif
  ways_->no_way_past();
  return done;
}

void AsideFile::write_cached(const std::byte* data, std::size_t bytes, std::int64_t offset) const {
  while (bytes > 0) {
    const auto written = ::pwrite(descriptor_, data, bytes, offset);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) refuse_file("write", aside_, written < 0 ? errno : ENOSPC);
    data += written;
    offset += written;
    bytes -= written;
  }
}

void AsideFile::reserve(std::int64_t bytes) const {
  const FileSizeSignalBlocked blocked;
  if (bytes == 0) return;
  int status = 0;
#ifdef __linux__
  // Not posix_fallocate: where the file system cannot, that writes every block.
  do status = ::fallocate(descriptor_, 0, 0, bytes) == 0 ? 0 : errno;
  while (status == EINTR);
  if (status == 0) return;
  if (status == ENOSPC || status == EDQUOT || status == EFBIG || status == EIO) {
    refuse_file("reserve room for", aside_, status);
  }
#endif
  struct stat now {};
  if (::fstat(descriptor_, &now) != 0) refuse_file("look at", aside_, errno);
  if (now.st_size >= bytes) return;
  if (::ftruncate(descriptor_, bytes) != 0) refuse_file("reserve room for", aside_, errno);
}

bool AsideFile::reserve_behind(std::int64_t bytes) const {
  struct stat now {};
  struct rlimit limit {};
  if (bytes == 0) return true;
  if (::fstat(descriptor_, &now) != 0) refuse_file("look at", aside_, errno);
  // The system asks for this limit only when a file becomes longer.
  const bool has_limit = ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  if (has_limit && static_cast<rlim_t>(now.st_size + bytes) > limit.rlim_cur)
    refuse_file("reserve room for", aside_, EFBIG);
#ifdef FALLOC_FL_KEEP_SIZE
  int status = 0;
  do status = ::fallocate(descriptor_, FALLOC_FL_KEEP_SIZE, now.st_size, bytes) == 0 ? 0 : errno;
  while (status == EINTR);
  if (status == ENOSPC || status == EDQUOT || status == EFBIG || status == EIO)
    refuse_file("reserve room for", aside_, status);
  return status == 0;
#else
  return false;
#endif
}

void AsideFile::give_back_behind() const {
  struct stat now {};
  if (::fstat(descriptor_, &now) != 0) refuse_file("look at", aside_, errno);
  if (::ftruncate(descriptor_, now.st_size) != 0) refuse_file("set the end of", aside_, errno);
}

void AsideFile::close() {
  const int closing = std::exchange(descriptor_, -1), past_cache = std::exchange(past_cache_, -1);
  if (past_cache >= 0 && ::close(past_cache) != 0 && errno != EINTR)
    refuse_file("close", aside_, errno);
  // After EINTR the descriptor is gone on Linux; other errors say that earlier writes failed (NFS).
  if (closing >= 0 && ::close(closing) != 0 && errno != EINTR) refuse_file("close", aside_, errno);
}

void AsideFile::abandon() noexcept {
  for (int* descriptor : {&descriptor_, &past_cache_}) {
    if (*descriptor >= 0) ::close(*descriptor);
    *descriptor = -1;
  }
}

void rename_to_final(const std::string& path) {
  std::error_code refused;
  std::filesystem::rename(path + ".part", path, refused);
  if (!refused) return;
  throw Error(Blame::file_system, fmt::format("cannot give '{}.part' its final name: {}", path,
                                              refusal_reason(path, refused.value())));
}

}  // namespace thalweg
