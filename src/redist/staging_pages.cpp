// SPDX-License-Identifier: Apache-2.0
// Asks the system for room and pages before anything depends on them.
#include "redist/staging_pages.hpp"

#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>

#include "base/call_limit.hpp"
#include "ranks/agreement.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

bool agreed(MPI_Comm comm, bool mine) {
  return all_true(comm, mine, "all ranks to agree on staging memory");
}

bool all_came(MPI_Comm comm, std::string_view what) {
  try {
    come_together(comm, what);
  } catch (const Error&) {
    return false;
  }
  return true;
}

bool windows_fit(MPI_Comm comm, std::int64_t bytes) {
  MPI_Comm node = MPI_COMM_NULL;
  {
    const CallLimit limit("all ranks to look who shares memory");
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  }
  // Page rounding and a window's own state: per rank and per node.
  constexpr std::int64_t of_rank = 64 << 10, of_node = 1 << 20;
  bytes += of_rank;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, &bytes, 1, MPI_INT64_T, MPI_SUM, node, &request);
  wait_for(request, "the other ranks of a node to count their staging memory");
  MPI_Comm_free(&node);
  bytes += of_node;
  struct statvfs memory {};
  bool fit = true;
  if (statvfs("/dev/shm", &memory) == 0) {
    fit = bytes <= static_cast<std::int64_t>(memory.f_bavail * memory.f_frsize);
  }
  return agreed(comm, fit);
}

bool have_pages(std::byte* begin, std::int64_t bytes, Access access) {
  if (bytes == 0) return true;
#ifdef MADV_POPULATE_WRITE  // Linux 5.14; before it pages come at the first touch
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  auto* first = begin - address % page;
  const auto size = bytes + address % page;
  const int advice = access == Access::write ? MADV_POPULATE_WRITE : MADV_POPULATE_READ;
  return madvise(first, size, advice) == 0 || errno == EINVAL;
#else
  static_cast<void>(access);
  return true;
#endif
}

PagesHeld::PagesHeld(std::byte* begin, std::int64_t bytes) : bytes_(bytes) {
#ifdef __linux__
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  void* again =
      mremap(begin - reinterpret_cast<std::uintptr_t>(begin) % page, 0, bytes_, MREMAP_MAYMOVE);
  if (again != MAP_FAILED) mapping_ = again;
#else
  static_cast<void>(begin);
#endif
}

PagesHeld::~PagesHeld() {
  if (mapping_ != nullptr) munmap(mapping_, bytes_);
}

OwnMemory::OwnMemory(std::int64_t bytes) : bytes_(bytes) {
  if (bytes_ == 0) return;
  void* begin = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  there_ = begin != MAP_FAILED;
  if (!there_) return;
  begin_ = static_cast<std::byte*>(begin);
  madvise(begin, bytes_, MADV_HUGEPAGE);
  there_ = have_pages(begin_, bytes, Access::write);
}

OwnMemory::~OwnMemory() {
  if (begin_ != nullptr) munmap(begin_, bytes_);
}

}  // namespace thalweg
