// SPDX-License-Identifier: Apache-2.0
// The life of an I/O rank: sleep until a message is there, take and write, end when all have
// closed.
#include "output/io_rank.hpp"

#include <fmt/format.h>

#include "output/engine.hpp"
#include "output/runs_exchange.hpp"
#include "output/tags.hpp"
#include "thalweg/timers.hpp"

namespace thalweg {

namespace {

MPI_Status next_message(MPI_Comm control) {
  const double begin_s = now_s();
  const auto status = await_message(MPI_ANY_SOURCE, MPI_ANY_TAG, control);
  add_time(Timer::io_idle, begin_s, now_s());
  if (now_s() - begin_s > 1e-3) record_event(EventKind::idle, begin_s, now_s());
  return status;
}

void tell_compute_ranks(const Ranks& ranks, const Error& error) {
  const auto text = std::to_string(static_cast<int>(error.blame())) +
                    fmt::format("I/O rank {}: {}", ranks.rank, error.what());
  for (int rank = 0; rank < ranks.compute_ranks; ++rank) {
    MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, rank, tag_error, ranks.control);
  }
}

}  // namespace

void serve_io_rank(const Definition& definition, const Ranks& ranks) {
  const auto runs = receive_runs(ranks.compute_ranks, ranks.control, nullptr);
  auto shared = make_shared_parts(definition, ranks, {});
  std::optional<Error> failure;
  {
    Receiver receiver(definition, shared.lanes, ranks, runs, shared.slots, *shared.staging,
                      shared.writers,
                      [&](const Error& error) { tell_compute_ranks(ranks, error); });
    while (!receiver.all_closed()) {
      receiver.receive(next_message(ranks.control));
      receiver.write_ready();
    }
    receiver.finish();
    receiver.leave();
    failure = receiver.failure();
  }
  free_shared_parts(shared);  // collective with the compute ranks
  if (failure) throw *failure;
}

}  // namespace thalweg
