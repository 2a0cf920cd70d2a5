// SPDX-License-Identifier: Apache-2.0
// open, pwrite, fsync, pread, close, until all is done or refused.
#include "raw_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>
#include <utility>

#include "file/refusal.hpp"
#include "thalweg/error.hpp"

namespace thalweg::bench {
namespace {

constexpr int file_permissions = 0644;

int flags_of(RawFile::Open how) {
  switch (how) {
    case RawFile::Open::make:
      return O_WRONLY | O_CREAT | O_EXCL;
    case RawFile::Open::overwrite:
      return O_WRONLY;
    default:
      return O_RDONLY;
  }
}

int open_file(const std::string& path, int flags, Way way) {
#ifdef O_DIRECT
  if (way == Way::past_cache) flags |= O_DIRECT;
#endif
  int file = -1;
  do file = ::open(path.c_str(), flags | O_CLOEXEC, file_permissions);
  while (file < 0 && errno == EINTR);
  return file;
}

/// A number for each page of each file (the mixer of SplitMix64, Steele et al. 2014).
std::uint64_t mark_of(std::uint64_t seed, std::uint64_t page) {
  std::uint64_t mixed = seed * 0x9e3779b97f4a7c15ULL + page;
  mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebULL;
  return mixed ^ (mixed >> 31U);
}

}  // namespace

const char* name_of(Way way) {
  if (way == Way::past_cache) return "past_cache";
  return way == Way::flushed ? "flushed" : "unflushed";
}

KnownBytes::KnownBytes() : bytes_(slab_bytes) {
  std::mt19937_64 noise;
  for (std::size_t at = 0; at < bytes_.size(); at += sizeof(std::uint64_t)) {
    const std::uint64_t word = noise();
    std::memcpy(bytes_.data() + at, &word, sizeof word);
  }
}

const std::byte* KnownBytes::slab(std::uint64_t seed, std::int64_t offset,
                                  std::int64_t size_bytes) {
  for (std::size_t at = 0; at < static_cast<std::size_t>(size_bytes); at += page_bytes) {
    const auto mark = mark_of(seed, (static_cast<std::uint64_t>(offset) + at) / page_bytes);
    std::memcpy(bytes_.data() + at, &mark, sizeof mark);
  }
  return bytes_.data();
}

RawFile::RawFile(const std::string& path, Open how, Way way)
    : path_(path), way_(way), file_(open_file(path, flags_of(how), way)) {
  if (file_ < 0) refuse_file(how == Open::make ? "create" : "open", path_, errno);
}

RawFile::~RawFile() {
  if (file_ >= 0) ::close(file_);
}

double RawFile::write(KnownBytes& bytes, std::uint64_t seed, std::int64_t size_bytes) {
  double took_s = 0.0;
  for (std::int64_t offset = 0; offset < size_bytes;) {
    const auto slab_begin = offset / slab_bytes * slab_bytes;
    const auto end = std::min(slab_begin + slab_bytes, size_bytes);
    const auto* slab = bytes.slab(seed, slab_begin, end - slab_begin);
    const double begin_s = MPI_Wtime();
    while (offset < end) {
      const auto done = ::pwrite(file_, slab + (offset - slab_begin), end - offset, offset);
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) refuse_file("write", path_, done < 0 ? errno : ENOSPC);
      offset += done;
    }
    took_s += MPI_Wtime() - begin_s;
  }
  if (way_ != Way::flushed) return took_s;
  const double begin_s = MPI_Wtime();
  while (::fsync(file_) != 0) {
    if (errno != EINTR) refuse_file("flush", path_, errno);
  }
  return took_s + MPI_Wtime() - begin_s;
}

void RawFile::check(KnownBytes& bytes, std::uint64_t seed, std::int64_t size_bytes) {
  PageBytes found(std::min(slab_bytes, size_bytes));
  // What was flushed is read from the disk again, where the system forgets it when asked to.
  if (way_ == Way::flushed) ::posix_fadvise(file_, 0, 0, POSIX_FADV_DONTNEED);
  for (std::int64_t begin = 0; begin < size_bytes; begin += slab_bytes) {
    const auto wanted = std::min(slab_bytes, size_bytes - begin);
    for (std::int64_t there = 0; there < wanted;) {
      const auto done = ::pread(file_, found.data() + there, wanted - there, begin + there);
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) refuse_file("read", path_, errno);
      if (done == 0) throw Error(Blame::bug, fmt::format("'{}' is too short", path_));
      there += done;
    }
    if (std::memcmp(found.data(), bytes.slab(seed, begin, wanted), wanted) != 0) {
      throw Error(Blame::bug, fmt::format("'{}' holds other bytes than were written", path_));
    }
  }
}

void RawFile::close() {
  const int closing = std::exchange(file_, -1);
  if (closing >= 0 && ::close(closing) != 0 && errno != EINTR) refuse_file("close", path_, errno);
}

bool takes_past_cache(const std::string& directory, const std::string& name) {
  const auto path = directory + "/" + name;
  const int file = open_file(path, O_WRONLY | O_CREAT | O_TRUNC, Way::past_cache);
  bool taken = false;
#ifdef O_DIRECT
  if (file >= 0) {
    const PageBytes page(page_bytes);
    taken = ::pwrite(file, page.data(), page_bytes, 0) == static_cast<ssize_t>(page_bytes);
  }
#endif
  if (file >= 0) ::close(file);
  ::unlink(path.c_str());
  return taken;
}

}  // namespace thalweg::bench
