// SPDX-License-Identifier: Apache-2.0
// The exchange of the owner peers: parts of fields travel unpacked to one rank, which reorders
// them.
#pragma once

#include <mpi.h>

#include <vector>

#include "session.hpp"

namespace thalweg::bench {

/// Consecutive levels of one field, all cells, and the rank that gets and writes them.
struct Share {
  int field = 0, first_level = 0, levels = 1, owner = 0;
};

/// Every field whole to one rank, round-robin.
std::vector<Share> whole_fields(const Session& session);
/// Every field whole to rank 0.
std::vector<Share> whole_fields_to_rank_0(const Session& session);
/// Every field's levels in as many equal parts as there are ranks.
std::vector<Share> level_ranges(const Session& session);

/// One step's exchange. All receives and sends are posted at once; arrays leave from where they
/// lie.
class ShareExchange {
 public:
  ShareExchange(Session& session, const std::vector<Share>& shares, const float* values);
  /// Waits for a share of this rank; returns it in global order, [level][cell]. The memory is used
  /// again by the next call.
  float* take(std::size_t share);
  /// Waits for this rank's sends.
  void finish();

 private:
  Session& session_;
  const std::vector<Share>& shares_;
  const float* values_;
  std::vector<std::vector<const float*>> parts_;    // [share][rank], of own shares
  std::vector<std::vector<MPI_Request>> receives_;  // [share]
  std::vector<MPI_Request> sends_;
};

/// Rows of all cells from every rank's rows of its own cells.
/// parts[rank][level * own_cells(rank) + own cell] -> ordered[level * cells + cell].
void reorder_rows(const Deal& deal, const std::vector<const float*>& parts, int levels,
                  float* ordered);

}  // namespace thalweg::bench
