// SPDX-License-Identifier: Apache-2.0
// What every method of one mpirun shares: ranks, workload, the values of this rank, memory.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <string>
#include <vector>

#include "base/page_bytes.hpp"
#include "workload.hpp"

namespace thalweg::bench {

/// Memory that is touched once, before anything is timed, and used by one method after the other.
class Scratch {
 public:
  /// At least `values` floats, the first at a page; grows, never shrinks. Contents are undefined.
  float* at_least(std::size_t values);

 private:
  std::vector<float, PageAllocator<float>> memory_;
};

struct Session {
  MPI_Comm comm = MPI_COMM_WORLD;
  int rank = 0, ranks = 1;
  Workload workload;
  Deal deal;  ///< to all ranks
  Values expected{workload};
  std::string directory;      ///< of the files of a trial; empty before and after it
  std::vector<float> values;  ///< this rank's share of a step, see Values::fill
  Scratch received, ordered, packed;

  MPI_Info hints = MPI_INFO_NULL;  ///< for peers that open files through MPI-IO

  Session(const Workload& what, std::string where);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Touches what the peers need of `received` and `ordered`, before anything is timed.
  void touch_memory();
  std::int64_t own_cells() const { return deal.own_cells(rank); }
  std::string file_of(int step, const char* suffix) const;
};

/// Ends all ranks with one sentence, for failures that leave ranks in different places.
[[noreturn]] void give_up(const std::string& sentence);

}  // namespace thalweg::bench
