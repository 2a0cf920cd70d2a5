// SPDX-License-Identifier: Apache-2.0
// Memory on every source that takers read from: shared on a node, by RMA or by messages otherwise.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace thalweg {

/// Who takes part. A rank may be source and taker at once.
struct StagingRanks {
  MPI_Comm comm = MPI_COMM_NULL;  ///< all of them, for data only
  std::vector<int> sources;       ///< ranks of `comm`, ascending
  std::vector<int> takers;        ///< ranks of `comm`, ascending
};

/// Collective life: every rank of comm makes it and destroys it.
class StagingMemory {
 public:
  virtual ~StagingMemory() = default;
  /// Ways in use, e.g. "shared_memory" or "shared_memory + rma" (for logs).
  virtual std::string describe() const = 0;

  // Source ------------------------------------------------------------------------------------
  /// `bytes` of this rank, aligned to 64.
  virtual std::byte* memory() = 0;
  /// [offset, offset + bytes) is filled and may be fetched by `taker` (a rank of comm). Offers of
  /// one tag to one taker are fetched in the order they were made. Does not wait.
  virtual void offer(int taker, int tag, std::int64_t offset, std::int64_t bytes) = 0;
  /// True if an offer is a message under way: the taker must fetch it, whatever happens.
  virtual bool sends(int taker) const = 0;
  /// Every taker said that it has all that was offered under this tag: it may be overwritten.
  virtual void reclaim(int tag) = 0;

  // Taker -------------------------------------------------------------------------------------
  /// Starts taking what `source` offered. The returned address is `into`, or, on one node, the
  /// source's own memory; it holds the values once fetch_all() has returned.
  virtual const std::byte* fetch(int source, int tag, std::int64_t offset, std::int64_t bytes,
                                 std::byte* into) = 0;
  /// True if fetch() from this source needs no `into` (the source's memory is read in place).
  virtual bool in_place(int source) const = 0;
  /// Waits for all fetches, with a time limit.
  virtual void fetch_all() = 0;
};

/// How staged values reach their takers. shared_memory: every pair must share a node; automatic:
/// per pair, shared memory on one node, elsewhere windows where every rank can create them, else
/// messages.
enum class Transport { automatic, shared_memory, rma, two_sided };
/// From the word in [io]; throws Error(user).
Transport parse_transport(std::string_view word);

/// Collective over ranks.comm. Throws Error(user) on all ranks if the wish cannot be
/// fulfilled. `bytes`: size of this rank's memory (0 on pure takers). `node_of`: node of a rank of
/// comm; for tests that play several nodes on one machine (empty = ask MPI).
std::unique_ptr<StagingMemory> make_staging_memory(Transport wish, StagingRanks ranks,
                                                   std::int64_t bytes,
                                                   const std::function<int(int)>& node_of = {});

}  // namespace thalweg
