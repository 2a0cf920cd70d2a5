// SPDX-License-Identifier: Apache-2.0
// Nonblocking sends of whole arrays, and the block copy that puts them in global order.
#include "exchange.hpp"

#include <algorithm>

namespace thalweg::bench {

std::vector<Share> whole_fields(const Session& session) {
  std::vector<Share> shares;
  for (int field = 0; field < session.workload.fields; ++field)
    shares.push_back({field, 0, session.workload.levels, field % session.ranks});
  return shares;
}

std::vector<Share> whole_fields_to_rank_0(const Session& session) {
  auto shares = whole_fields(session);
  for (Share& share : shares) share.owner = 0;
  return shares;
}

std::vector<Share> level_ranges(const Session& session) {
  std::vector<Share> shares;
  for (int field = 0; field < session.workload.fields; ++field) {
    for (int rank = 0; rank < session.ranks; ++rank) {
      const int first = session.workload.levels * rank / session.ranks;
      const int end = session.workload.levels * (rank + 1) / session.ranks;
      shares.push_back({field, first, end - first, rank});
    }
  }
  return shares;
}

ShareExchange::ShareExchange(Session& session, const std::vector<Share>& shares,
                             const float* values)
    : session_(session),
      shares_(shares),
      values_(values),
      parts_(shares.size()),
      receives_(shares.size()) {
  const Deal& deal = session.deal;
  const auto own = session.own_cells();
  std::size_t received = 0, largest = 0;
  for (const Share& share : shares) {
    if (share.owner != session.rank) continue;
    const std::size_t levels = share.levels;
    received += levels * (session.workload.cells - own);
    largest = std::max(largest, levels * session.workload.cells);
  }
  float* next = session.received.at_least(received);
  session.ordered.at_least(largest);
  const auto own_part = [&](const Share& share) {
    return values +
           (static_cast<std::int64_t>(share.field) * session.workload.levels + share.first_level) *
               own;
  };
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i].owner != session.rank) continue;
    parts_[i].resize(session.ranks);
    for (int source = 0; source < session.ranks; ++source) {
      auto& part = parts_[i][source];
      if (source == session.rank) {
        part = own_part(shares[i]);
        continue;
      }
      const auto count = deal.own_cells(source) * shares[i].levels;
      receives_[i].emplace_back();
      MPI_Irecv(next, static_cast<int>(count), MPI_FLOAT, source, static_cast<int>(i), session.comm,
                &receives_[i].back());
      part = next;
      next += count;
    }
  }
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i].owner == session.rank) continue;
    sends_.emplace_back();
    MPI_Isend(own_part(shares[i]), static_cast<int>(own * shares[i].levels), MPI_FLOAT,
              shares[i].owner, static_cast<int>(i), session.comm, &sends_.back());
  }
}

float* ShareExchange::take(std::size_t share) {
  MPI_Waitall(static_cast<int>(receives_[share].size()), receives_[share].data(),
              MPI_STATUSES_IGNORE);
  float* ordered = session_.ordered.at_least(0);
  reorder_rows(session_.deal, parts_[share], shares_[share].levels, ordered);
  return ordered;
}

void ShareExchange::finish() {
  MPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE);
}

void reorder_rows(const Deal& deal, const std::vector<const float*>& parts, int levels,
                  float* ordered) {
  for (int level = 0; level < levels; ++level) {
    float* row = ordered + level * deal.blocks * block_cells;
    for (int rank = 0; rank < deal.ranks; ++rank) {
      const float* from = parts[rank] + level * deal.own_cells(rank);
      for (std::int64_t block = rank; block < deal.blocks; block += deal.ranks) {
        std::copy_n(from, block_cells, row + block * block_cells);
        from += block_cells;
      }
    }
  }
}

}  // namespace thalweg::bench
