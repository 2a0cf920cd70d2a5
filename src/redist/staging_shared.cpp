// SPDX-License-Identifier: Apache-2.0
// Way shared_memory: takers read a source's memory where it lies; no byte is moved.
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "redist/staging_ways.hpp"

namespace thalweg {

namespace {

constexpr std::int64_t alignment = 64;

// Start of a part of a shared window; the same byte on every rank, since mappings begin at pages.
std::byte* aligned(void* begin) {
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  return static_cast<std::byte*>(begin) + (alignment - address % alignment) % alignment;
}

class Shared final : public StagingWay {
 public:
  Shared(MPI_Comm node, MPI_Win window, std::vector<std::byte*> memory)
      : node_(node), window_(window), memory_(std::move(memory)) {
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
  }
  ~Shared() override {
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
    MPI_Comm_free(&node_);
  }

  const char* name() const override { return "shared_memory"; }
  bool in_place() const override { return true; }
  // What was written before this call is in memory before the caller's message leaves; the taker,
  // who got that message, reads nothing from before its own call.
  void offer(int, int, const std::byte*, std::int64_t) override { MPI_Win_sync(window_); }
  const std::byte* fetch(int source, int, std::int64_t offset, std::int64_t, std::byte*) override {
    MPI_Win_sync(window_);
    return memory_[static_cast<std::size_t>(source)] + offset;
  }
  void fetch_all() override { MPI_Win_sync(window_); }
  void reclaim(int) override { MPI_Win_sync(window_); }

 private:
  MPI_Comm node_;
  MPI_Win window_;
  std::vector<std::byte*> memory_;  // [rank of comm]; null on other nodes
};

// Makes the pages of a stretch present: fails where the system has none left, instead of killing
// the rank at the first touch. `advice` is MADV_POPULATE_WRITE or _READ.
bool populate(std::byte* begin, std::int64_t bytes, int advice) {
  if (bytes == 0) return true;
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<std::uintptr_t>(begin) / page * page;
  const auto last = reinterpret_cast<std::uintptr_t>(begin) + static_cast<std::uintptr_t>(bytes);
  // Kernels before 5.14 do not know it: pages then come at the first touch.
  return madvise(reinterpret_cast<void*>(first), last - first, advice) == 0 || errno == EINVAL;
}

}  // namespace

bool agreed(MPI_Comm comm, bool mine) {
  int all = mine ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm);
  return all == 1;
}

bool windows_fit(MPI_Comm comm, std::int64_t bytes) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  constexpr std::int64_t bookkeeping = 64
                                       << 10;  // page rounding and a window's own state, per rank
  bytes += bookkeeping;
  MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_INT64_T, MPI_SUM, node);
  MPI_Comm_free(&node);
  bytes += 1 << 20;
  struct statvfs memory {};
  bool fit = true;
  if (statvfs("/dev/shm", &memory) == 0) {
    fit = bytes <= static_cast<std::int64_t>(memory.f_bavail * memory.f_frsize);
  }
  return agreed(comm, fit);
}

StagingRoom make_shared_way(MPI_Comm comm, const int* node, std::int64_t bytes) {
  if (!windows_fit(comm, bytes + alignment)) return {};
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  MPI_Comm neighbours = MPI_COMM_NULL;
  MPI_Comm_split(comm, node[rank], rank, &neighbours);
  void* begin = nullptr;
  MPI_Win window = MPI_WIN_NULL;
  bool here = false;
  {
    const ErrorsReturned tolerant(neighbours);
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "alloc_shared_noncontig", "true");  // whole pages: each near its own rank
    here = MPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes + alignment), 1, info, neighbours,
                                   &begin, &window) == MPI_SUCCESS;
    MPI_Info_free(&info);
  }
  here = agreed(neighbours, here);
  const bool present = here && populate(aligned(begin), bytes, MADV_POPULATE_WRITE);
  if (!agreed(comm, present)) {
    if (here) MPI_Win_free(&window);
    MPI_Comm_free(&neighbours);
    return {};
  }
  std::vector<std::byte*> memory(static_cast<std::size_t>(ranks), nullptr);
  int neighbour = 0;
  for (int other = 0; other < ranks; ++other) {
    if (node[other] != node[rank]) continue;
    MPI_Aint size = 0;
    int unit = 1;
    void* base = nullptr;
    MPI_Win_shared_query(window, neighbour++, &size, &unit, &base);
    memory[static_cast<std::size_t>(other)] = aligned(base);
  }
  std::byte* own = aligned(begin);
  return {std::make_unique<Shared>(neighbours, window, std::move(memory)), own};
}

}  // namespace thalweg
