// SPDX-License-Identifier: Apache-2.0
// The life of an I/O rank: sleep until a message is there, take and write, end when all have
// closed.
#include "output/move/io_rank.hpp"

#include <memory>

#include "output/deal/tags.hpp"
#include "output/move/engine.hpp"
#include "output/move/runs_exchange.hpp"
#include "thalweg/timers.hpp"

namespace thalweg {

namespace {

MPI_Status next_message(MPI_Comm control) {
  const double begin_s = now_s();
  const auto status = await_message(MPI_ANY_SOURCE, MPI_ANY_TAG, control);
  add_time(Timer::io_idle, begin_s, now_s());
  return status;
}

}  // namespace

std::optional<Error> serve_io_rank(const Definition& definition, const Ranks& ranks,
                                   FailureNews& news) {
  const double begin_s = now_s();
  std::optional<Pulse> pulse;
  pulse.emplace(ranks.control, tag_pulse, [&](int rank) { return ranks.name_of(rank); });
  const auto runs = receive_runs(ranks.compute_ranks, ranks.control, nullptr);
  auto shared = make_engine_parts(definition, ranks, {});
  add_time(Timer::io_define, begin_s, now_s());
  record_event(EventKind::start, begin_s, now_s());
  std::optional<Error> failure;
  std::unique_ptr<Receiver> owned;
  try {
    owned = std::make_unique<Receiver>(definition, shared.lanes, ranks, runs, shared.slots,
                                       *shared.staging, shared.writers,
                                       [&](const Error& error) { news.tell(error); });
    auto& receiver = *owned;
    while (!receiver.all_closed()) {
      const auto status = next_message(ranks.control);
      if (pulse->take(status)) continue;
      if (news.is_news(status)) {
        news.receive(status);
        receiver.count_left(status.MPI_SOURCE);
      } else {
        receiver.receive(status);
      }
      receiver.write_ready();
    }
    receiver.finish();
    if (!news.left()) receiver.leave();
    failure = receiver.failure();
    owned.reset();
  } catch (...) {  // the others cannot take part in freeing it: they do not know yet
    static_cast<void>(owned.release());
    static_cast<void>(shared.staging.release());
    throw;
  }
  pulse.reset();
  if (news.left()) {  // what is shared with ranks that have left cannot be freed
    static_cast<void>(shared.staging.release());
    return news.left();
  }
  news.drain();
  free_engine_parts(shared);  // collective with the compute ranks
  return failure;
}

}  // namespace thalweg
