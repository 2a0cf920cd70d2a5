// SPDX-License-Identifier: Apache-2.0
// The exchange of the cell-range peers: every rank gets consecutive cells of all fields and levels.
#pragma once

#include <mpi.h>

#include <vector>

#include "session.hpp"

namespace thalweg::bench {

/// One step's exchange: packed per field and receiver, all sends and receives posted at once.
class RangeExchange {
 public:
  explicit RangeExchange(Session& session);
  std::int64_t first_cell() const { return first_block(session_.rank) * block_cells; }
  std::int64_t cells() const;
  /// Waits for a field; returns [level][cell of the range]. The memory is used by the next call.
  float* take(int field);
  void finish();

 private:
  std::int64_t first_block(int rank) const;
  /// Blocks of `source` below global block `block`.
  std::int64_t own_below(int source, std::int64_t block) const;

  Session& session_;
  std::vector<std::vector<float*>> parts_;          // [field][rank], [level][its cells in range]
  std::vector<std::vector<MPI_Request>> receives_;  // [field]
  std::vector<MPI_Request> sends_;
};

}  // namespace thalweg::bench
