// SPDX-License-Identifier: Apache-2.0
// Packs the cells of each receiver's range, and puts what arrives in global order.
#include "range_exchange.hpp"

#include <algorithm>

namespace thalweg::bench {

std::int64_t RangeExchange::first_block(int rank) const {
  return session_.deal.blocks * rank / session_.ranks;
}

std::int64_t RangeExchange::own_below(int source, std::int64_t block) const {
  return std::max<std::int64_t>(0, (block - source + session_.ranks - 1) / session_.ranks);
}

std::int64_t RangeExchange::cells() const {
  return (first_block(session_.rank + 1) - first_block(session_.rank)) * block_cells;
}

RangeExchange::RangeExchange(Session& session)
    : session_(session), parts_(session.workload.fields), receives_(session.workload.fields) {
  const int levels = session.workload.levels, fields = session.workload.fields;
  const auto values = cells() * levels;
  float* next = session.received.at_least(values * fields);
  session.ordered.at_least(values);
  const std::int64_t begin = first_block(session.rank), end = first_block(session.rank + 1);
  for (int field = 0; field < fields; ++field) {
    for (int source = 0; source < session.ranks; ++source) {
      const auto count = (own_below(source, end) - own_below(source, begin)) * block_cells * levels;
      parts_[field].push_back(next);
      if (source != session.rank) {
        receives_[field].emplace_back();
        MPI_Irecv(next, static_cast<int>(count), MPI_FLOAT, source, field, session.comm,
                  &receives_[field].back());
      }
      next += count;
    }
  }
  float* packed = session.packed.at_least(session.values.size());
  for (int field = 0; field < fields; ++field) {
    for (int target = 0; target < session.ranks; ++target) {
      const auto first = own_below(session.rank, first_block(target)) * block_cells;
      const auto count = own_below(session.rank, first_block(target + 1)) * block_cells - first;
      const bool to_self = target == session.rank;
      auto* start = to_self ? parts_[field][target] : packed;
      float* place = start;
      for (int level = 0; level < levels; ++level) {
        const auto row = (static_cast<std::int64_t>(field) * levels + level) * session.own_cells();
        place = std::copy_n(session.values.data() + row + first, count, place);
      }
      if (to_self) continue;
      packed = place;
      sends_.emplace_back();
      MPI_Isend(start, static_cast<int>(count * levels), MPI_FLOAT, target, field, session.comm,
                &sends_.back());
    }
  }
}

float* RangeExchange::take(int field) {
  auto& requests = receives_[field];
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  const std::int64_t begin = first_block(session_.rank), end = first_block(session_.rank + 1);
  float* ordered = session_.ordered.at_least(0);
  for (int source = 0; source < session_.ranks; ++source) {
    const float* from = parts_[field][source];
    const std::int64_t first = source + own_below(source, begin) * session_.ranks;
    for (int level = 0; level < session_.workload.levels; ++level) {
      float* row = ordered + level * cells();
      for (std::int64_t block = first; block < end; block += session_.ranks) {
        std::copy_n(from, block_cells, row + (block - begin) * block_cells);
        from += block_cells;
      }
    }
  }
  return ordered;
}

void RangeExchange::finish() {
  MPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE);
}

}  // namespace thalweg::bench
