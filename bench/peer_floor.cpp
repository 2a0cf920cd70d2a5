// SPDX-License-Identifier: Apache-2.0
// What no writer can beat: a copy in memory, and pwrite of buffers as they lie.
#include <algorithm>

#include "peers.hpp"
#include "shared_raw.hpp"

namespace thalweg::bench {

void memory_copy(Session& session, int) {
  float* target = session.packed.at_least(session.values.size());
  std::copy(session.values.begin(), session.values.end(), target);
}

void contiguous_pwrite(Session& session, int step) {
  std::int64_t first = 0;
  const auto per_cell =
      static_cast<std::int64_t>(session.workload.levels) * session.workload.fields;
  for (int rank = 0; rank < session.rank; ++rank) first += session.deal.own_cells(rank) * per_cell;
  SharedRaw file(session, session.file_of(step, ".raw"));
  file.write(session.values.data(), static_cast<std::int64_t>(session.values.size()), first);
}

}  // namespace thalweg::bench
