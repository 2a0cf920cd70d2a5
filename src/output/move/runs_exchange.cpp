// SPDX-License-Identifier: Apache-2.0
// Runs: one message a rank, three counts, then (global, local, length) of every run, place by
// place.
#include "output/move/runs_exchange.hpp"

#include <time.h>

#include <algorithm>

#include "output/deal/tags.hpp"
#include "thalweg/wait.hpp"

namespace thalweg {

void send_runs(const OwnedRuns& runs, int destination, MPI_Comm comm, RunsMessage& message) {
  if (message.packed.empty()) {
    for (const auto& place : runs)
      message.packed.push_back(static_cast<std::int64_t>(place.size()));
    for (const auto& place : runs) {
      for (const auto& run : place) {
        message.packed.insert(message.packed.end(), {run.global, run.local, run.length});
      }
    }
  }
  message.requests.push_back(MPI_REQUEST_NULL);
  MPI_Isend(message.packed.data(), static_cast<int>(message.packed.size()), MPI_INT64_T,
            destination, tag_runs, comm, &message.requests.back());
}

std::vector<OwnedRuns> receive_runs(int sources, MPI_Comm comm, const OwnedRuns* own) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  std::vector<OwnedRuns> all(sources);
  for (int source = 0; source < sources; ++source) {
    auto& runs = all[source];
    if (own != nullptr && source == rank) {
      runs = *own;
      continue;
    }
    MPI_Status status;
    wait_until(
        [&] {
          int there = 0;
          MPI_Iprobe(source, tag_runs, comm, &there, &status);
          return there != 0;
        },
        "the owned points of the compute ranks", 0.001);
    int count = 0;
    MPI_Get_count(&status, MPI_INT64_T, &count);
    std::vector<std::int64_t> packed(count);
    MPI_Recv(packed.data(), count, MPI_INT64_T, source, tag_runs, comm, MPI_STATUS_IGNORE);
    std::size_t next = 3;
    for (std::size_t place = 0; place < 3; ++place) {
      for (std::int64_t run = 0; run < packed[place]; ++run, next += 3) {
        runs[place].push_back({packed[next], packed[next + 1], packed[next + 2]});
      }
    }
  }
  return all;
}

void send_definition(const Definition& definition, const Ranks& ranks) {
  const auto text = definition.to_json();
  for (int io = 0; io < ranks.io_ranks; ++io) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(text.data(), static_cast<int>(text.size()), MPI_CHAR, ranks.compute_ranks + io,
              tag_definition, ranks.control, &request);
    wait_all({&request, 1}, "I/O ranks to take the definitions");
  }
}

Definition receive_definition(const Ranks& ranks, const OutputSettings& settings,
                              FailureNews& news) {
  const auto status = await_message(0, tag_definition, ranks.control, [&] {
    news.look();
    news.throw_if_left();
  });
  int size = 0;
  MPI_Get_count(&status, MPI_CHAR, &size);
  std::string text(size, '\0');
  MPI_Recv(text.data(), size, MPI_CHAR, status.MPI_SOURCE, tag_definition, ranks.control,
           MPI_STATUS_IGNORE);
  MPI_Request served = MPI_REQUEST_NULL;
  MPI_Ibarrier(ranks.control, &served);
  wait_all({&served, 1}, "compute ranks to end their definitions");
  return Definition::from_json(text, settings);
}

MPI_Status await_message(int source, int tag, MPI_Comm comm,
                         const std::function<void()>& meanwhile) {
  MPI_Status status;
  int there = 0;
  for (long nap_ns = 20'000;; nap_ns = std::min(nap_ns * 2, 1'000'000L)) {
    MPI_Iprobe(source, tag, comm, &there, &status);
    if (there != 0) return status;
    if (meanwhile) meanwhile();
    const timespec nap{0, nap_ns};
    nanosleep(&nap, nullptr);
  }
}

}  // namespace thalweg
