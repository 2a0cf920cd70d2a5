// SPDX-License-Identifier: Apache-2.0
// Way shared_memory: takers read a source's memory where it lies; no byte is moved.
#include <optional>
#include <utility>
#include <vector>

#include "base/call_limit.hpp"
#include "redist/staging_pages.hpp"
#include "redist/staging_ways.hpp"
#include "thalweg/error.hpp"
#include "thalweg/wait.hpp"

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
  /// holders[rank of node]: is it one that only takes? `holds`: this rank's, if it is one.
  Shared(MPI_Comm node, MPI_Win window, std::vector<std::byte*> memory, std::vector<int> holders,
         std::vector<PagesHeld> holds)
      : holders_(std::move(holders)),
        holds_(std::move(holds)),
        node_(node),
        window_(window),
        memory_(std::move(memory)) {
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
  }
  ~Shared() override {
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
    leave_last();
    MPI_Comm_free(&node_);
  }

  const char* name() const override { return "shared_memory"; }
  bool in_place() const override { return true; }
  // What was written before this call is in memory before the caller's message leaves; the taker,
  // who got that message, reads nothing from before its own call.
  void offer(int, int, const std::byte*, std::int64_t) override { MPI_Win_sync(window_); }
  const std::byte* fetch(int source, int, std::int64_t offset, std::int64_t, std::byte*) override {
    MPI_Win_sync(window_);
    return memory_[source] + offset;
  }
  void fetch_all() override { MPI_Win_sync(window_); }
  void reclaim(int) override { MPI_Win_sync(window_); }

 private:
  // Sources tell holders that they have let go; holders wait for that.
  void leave_last() noexcept {
    int rank = 0;
    MPI_Comm_rank(node_, &rank);
    const bool holder = holders_[rank] != 0;
    for (int other = 0; other < static_cast<int>(holders_.size()); ++other) {
      if ((holders_[other] != 0) == holder) continue;
      if (!holder) {
        MPI_Send(nullptr, 0, MPI_BYTE, other, 0, node_);
        continue;
      }
      MPI_Request word = MPI_REQUEST_NULL;
      MPI_Irecv(nullptr, 0, MPI_BYTE, other, 0, node_, &word);
      try {
        wait_all({&word, 1}, "a source to let go of its staging memory");
      } catch (const Error&) {
        return;  // it failed, and will never say so
      }
    }
  }

  std::vector<int> holders_;
  std::vector<PagesHeld> holds_;
  MPI_Comm node_;
  MPI_Win window_;
  std::vector<std::byte*> memory_;  // [rank of comm]; null on other nodes
};

}  // namespace

StagingRoom make_shared_way(MPI_Comm comm, const std::vector<int>& node, std::int64_t bytes,
                            bool taker) {
  if (!windows_fit(comm, bytes + alignment)) return {};
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  MPI_Comm neighbours = MPI_COMM_NULL;
  const int home = node[rank];
  std::optional<CallLimit> limit(std::in_place, "all ranks to make their staging memory");
  MPI_Comm_split(comm, home, rank, &neighbours);
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
  limit.reset();
  here = agreed(neighbours, here);
  const bool present = here && have_pages(aligned(begin), bytes, Access::write);
  if (!agreed(comm, present)) {
    if (here) MPI_Win_free(&window);
    MPI_Comm_free(&neighbours);
    return {};
  }
  const int holder = taker && bytes == 0 ? 1 : 0;
  int size = 1;
  MPI_Comm_size(neighbours, &size);
  std::vector<int> holders(size);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallgather(&holder, 1, MPI_INT, holders.data(), 1, MPI_INT, neighbours, &request);
  wait_all({&request, 1}, "all ranks of a node to tell whether they only take");
  std::vector<PagesHeld> holds;
  std::vector<std::byte*> memory(ranks, nullptr);
  int neighbour = 0;
  for (std::size_t other = 0; other < memory.size(); ++other) {
    if (node[other] != home) continue;
    MPI_Aint room = 0;
    int unit = 1;
    void* base = nullptr;
    MPI_Win_shared_query(window, neighbour++, &room, &unit, &base);
    memory[other] = aligned(base);
    // Here too the pages are better found now than at the first fetch.
    if (!taker || room <= alignment) continue;
    have_pages(memory[other], room - alignment, Access::read);
    if (holder != 0) holds.emplace_back(memory[other], room - alignment);
  }
  std::byte* own = aligned(begin);
  return {std::make_unique<Shared>(neighbours, window, std::move(memory), std::move(holders),
                                   std::move(holds)),
          own};
}

}  // namespace thalweg
