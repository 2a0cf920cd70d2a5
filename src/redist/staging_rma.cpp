// SPDX-License-Identifier: Apache-2.0
// Way rma: takers get from a window over the source's memory; sources take no part.
#include <algorithm>
#include <optional>
#include <vector>

#include "base/call_limit.hpp"
#include "redist/staging_pages.hpp"
#include "redist/staging_ways.hpp"
#include "thalweg/wait.hpp"

namespace thalweg {

namespace {

class Rma final : public StagingWay {
 public:
  /// first[rank]: where the memory of a rank begins in its part of the window, bytes; empty = 0.
  Rma(MPI_Win window, std::vector<std::int64_t> first) : window_(window), first_(std::move(first)) {
    // One shared lock for the life of the window: passive target, nothing to do for sources.
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
  }
  ~Rma() override {
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }

  const char* name() const override { return "rma"; }
  void offer(int, int, const std::byte*, std::int64_t) override { MPI_Win_sync(window_); }
  void reclaim(int) override { MPI_Win_sync(window_); }

  // A get with a request can be waited for with a time limit; a flush cannot.
  const std::byte* fetch(int source, int, std::int64_t offset, std::int64_t bytes,
                         std::byte* into) override {
    if (!first_.empty()) offset += first_[source];
    for (std::int64_t done = 0; done < bytes; done += message_bytes) {
      const auto size = static_cast<int>(std::min(message_bytes, bytes - done));
      gets_.push_back(MPI_REQUEST_NULL);
      MPI_Rget(into + done, size, MPI_BYTE, source, static_cast<MPI_Aint>(offset + done), size,
               MPI_BYTE, window_, &gets_.back());
    }
    return into;
  }

  void fetch_all() override {
    wait_all(gets_, "offered output to be read through windows");
    gets_.clear();
    MPI_Win_sync(window_);
  }

 private:
  MPI_Win window_;
  std::vector<std::int64_t> first_;
  std::vector<MPI_Request> gets_;
};

// Has every rank got its window? Where one has none the others cannot free theirs: that is
// collective.
bool created(MPI_Comm comm, int status, MPI_Win window) {
  return agreed(comm, status == MPI_SUCCESS && window != MPI_WIN_NULL);
}

}  // namespace

std::unique_ptr<StagingWay> make_rma_way(MPI_Comm comm, std::byte* memory, std::int64_t bytes) {
  if (!windows_fit(comm, 0)) return nullptr;
  const ErrorsReturned tolerant(comm);
  MPI_Win window = MPI_WIN_NULL;
  std::optional<CallLimit> limit(std::in_place, "all ranks to make their staging memory");
  const int status =
      MPI_Win_create(memory, static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL, comm, &window);
  limit.reset();
  if (!created(comm, status, window)) return nullptr;
  return std::make_unique<Rma>(window, std::vector<std::int64_t>{});
}

StagingRoom make_rma_room(MPI_Comm comm, std::int64_t bytes) {
  constexpr std::int64_t alignment = 64;  // MPI promises less
  // MPICH 4.0 reads beside the mark if the parts of a window are not whole words.
  bytes = (bytes + alignment - 1) / alignment * alignment;
  if (!windows_fit(comm, bytes + alignment)) return {};
  const ErrorsReturned tolerant(comm);
  std::byte* memory = nullptr;
  MPI_Win window = MPI_WIN_NULL;
  std::optional<CallLimit> limit(std::in_place, "all ranks to make their staging memory");
  const int status = MPI_Win_allocate(static_cast<MPI_Aint>(bytes + alignment), 1, MPI_INFO_NULL,
                                      comm, &memory, &window);
  limit.reset();
  if (!created(comm, status, window)) return {};
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  const auto beyond = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(memory) % 64);
  const std::int64_t mine = (alignment - beyond) % alignment;
  std::vector<std::int64_t> first(ranks);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallgather(&mine, 1, MPI_INT64_T, first.data(), 1, MPI_INT64_T, comm, &request);
  wait_all({&request, 1}, "all ranks to tell where their windows begin");
  return {std::make_unique<Rma>(window, std::move(first)), memory + mine};
}

}  // namespace thalweg
