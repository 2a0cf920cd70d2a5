// SPDX-License-Identifier: Apache-2.0
// The ways from a source's memory to a taker: one file each, chosen in staging_memory.cpp.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace thalweg {

/// One way, between distinct ranks and for at least one byte. Collective life over its comm.
class StagingWay {
 public:
  virtual ~StagingWay() = default;
  virtual const char* name() const = 0;
  virtual bool in_place() const { return false; }
  virtual bool sends() const { return false; }
  virtual void offer(int taker, int tag, const std::byte* from, std::int64_t bytes) = 0;
  virtual void reclaim(int tag) = 0;
  virtual const std::byte* fetch(int source, int tag, std::int64_t offset, std::int64_t bytes,
                                 std::byte* into) = 0;
  virtual void fetch_all() = 0;
};

/// A way that also brings the memory of this rank.
struct StagingRoom {
  std::unique_ptr<StagingWay> way;  ///< null on every rank if the memory cannot be had
  std::byte* memory = nullptr;      ///< aligned to 64
};

/// Memory of each rank in a window shared by its node. `node`: of each rank of comm; pairs of
/// different nodes must not use it. `taker`: this rank will fetch.
StagingRoom make_shared_way(MPI_Comm comm, const std::vector<int>& node, std::int64_t bytes,
                            bool taker);
/// A window for MPI_Get over memory that exists; null on every rank if one cannot create it.
std::unique_ptr<StagingWay> make_rma_way(MPI_Comm comm, std::byte* memory, std::int64_t bytes);
/// The same with memory from MPI, which many MPIs reach faster.
StagingRoom make_rma_room(MPI_Comm comm, std::int64_t bytes);
std::unique_ptr<StagingWay> make_two_sided_way(MPI_Comm comm);

/// No call of MPI counts more than an int: longer stretches go in pieces of this many bytes.
inline constexpr std::int64_t message_bytes = std::int64_t{1} << 30;

/// While it lives, errors of MPI calls on `comm` are returned, not fatal.
class ErrorsReturned {
 public:
  explicit ErrorsReturned(MPI_Comm comm) : comm_(comm) {
    MPI_Comm_get_errhandler(comm_, &before_);
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  }
  ~ErrorsReturned() {
    MPI_Comm_set_errhandler(comm_, before_);
    if (before_ != MPI_ERRHANDLER_NULL) MPI_Errhandler_free(&before_);
  }
  ErrorsReturned(const ErrorsReturned&) = delete;
  ErrorsReturned& operator=(const ErrorsReturned&) = delete;

 private:
  MPI_Comm comm_;
  MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
};

}  // namespace thalweg
