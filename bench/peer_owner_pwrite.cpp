// SPDX-License-Identifier: Apache-2.0
// owner_pwrite, the achievable floor: every field goes whole to one rank, which reorders it and
// writes it with one pwrite, in slabs, or past the page cache; and the same with rank 0 owning
// everything.
#include <algorithm>

#include "exchange.hpp"
#include "peers.hpp"
#include "shared_raw.hpp"
#include "thalweg/error.hpp"

namespace thalweg::bench {
namespace {

constexpr std::int64_t slab_values = (8 << 20) / sizeof(float);

void write_by_owner(Session& session, int step, std::int64_t slab, bool past_cache = false) {
  const auto shares = whole_fields(session);
  ShareExchange exchange(session, shares, session.values.data());
  SharedRaw file(session, session.file_of(step, ".raw"), past_cache);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i].owner != session.rank) continue;
    const auto count = session.workload.field_values();
    const float* values = exchange.take(i);
    for (std::int64_t done = 0; done < count; done += slab) {
      file.write(values + done, std::min(slab, count - done), shares[i].field * count + done);
    }
  }
  exchange.finish();
}

}  // namespace

void owner_pwrite(Session& session, int step) {
  write_by_owner(session, step, session.workload.field_values());
}

void owner_pwrite_8mib(Session& session, int step) { write_by_owner(session, step, slab_values); }

void owner_pwrite_past_cache(Session& session, int step) {
  if (session.workload.field_values() * sizeof(float) % page_bytes != 0)
    throw Error(Blame::user, "fields of this workload are no whole pages");
  write_by_owner(session, step, slab_values, true);
}

void gather_pwrite(Session& session, int step) {
  const auto shares = whole_fields_to_rank_0(session);
  ShareExchange exchange(session, shares, session.values.data());
  if (session.rank == 0) {
    SharedRaw file(session.file_of(step, ".raw"));
    const auto count = session.workload.field_values();
    for (std::size_t i = 0; i < shares.size(); ++i)
      file.write(exchange.take(i), count, shares[i].field * count);
  }
  exchange.finish();
}

}  // namespace thalweg::bench
