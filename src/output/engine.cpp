// SPDX-License-Identifier: Apache-2.0
// Takes messages in and gives them to whom they concern.
#include "output/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "output/runs_exchange.hpp"
#include "output/tags.hpp"
#include "thalweg/timers.hpp"
#include "thalweg/wait.hpp"

namespace thalweg {

Shared make_shared_parts(const Definition& definition, const Ranks& ranks, const OwnedRuns& runs) {
  Shared shared;
  const auto& mode = find_mode(definition.settings.mode);
  for (int lane = 0; lane < definition.lanes(); ++lane) {
    shared.lanes.push_back(mode.divide(definition, lane, ranks.writers));
  }
  shared.slots = slots_per_lane(definition, shared.lanes, ranks);
  MPI_Comm_split(ranks.control, ranks.writer() >= 0 ? 0 : MPI_UNDEFINED, ranks.rank,
                 &shared.writers);
  StagingRanks parties;
  parties.comm = ranks.data;
  parties.sources.resize(static_cast<std::size_t>(ranks.compute_ranks));
  std::iota(parties.sources.begin(), parties.sources.end(), 0);
  for (int writer = 0; writer < ranks.writers; ++writer) {
    parties.takers.push_back(ranks.rank_of_writer(writer));
  }
  const auto bytes =
      ranks.is_compute() ? SlotMap(definition, shared.lanes, runs, shared.slots).total() : 0;
  shared.staging = make_staging_memory(definition.settings.transport, parties, bytes);
  return shared;
}

void free_shared_parts(Shared& shared) {
  shared.staging.reset();
  if (shared.writers != MPI_COMM_NULL) MPI_Comm_free(&shared.writers);
}

Engine::Engine(const Definition& definition, const Ranks& ranks, const OwnedRuns& runs,
               std::span<const std::vector<std::int64_t>> positions)
    : definition_(definition), ranks_(ranks) {
  RunsMessage message;
  for (int writer = 0; writer < ranks_.writers; ++writer) {
    const int destination = ranks_.rank_of_writer(writer);
    if (destination != ranks_.rank) send_runs(runs, destination, ranks_.control, message);
  }
  std::vector<OwnedRuns> all;
  if (ranks_.writer() >= 0) all = receive_runs(ranks_.compute_ranks, ranks_.control, &runs);
  wait_all(message.requests, "writers to take the owned points");
  shared_ = make_shared_parts(definition, ranks_, runs);
  const auto keep = [this](const Error& error) {
    if (!failure_) failure_ = error;
  };
  sender_.emplace(
      definition_, shared_.lanes, ranks_, runs, positions, *shared_.staging, shared_.slots,
      [this] { poll(); }, keep);
  if (ranks_.writer() >= 0) {
    receiver_.emplace(definition_, shared_.lanes, ranks_, all, shared_.slots, *shared_.staging,
                      shared_.writers, keep);
  }
}

void Engine::put(int stream, int step, int position, const FieldView& view) {
  sender_->put(stream, step, position, view);
}

bool Engine::finish_step(int stream, int step) {
  const bool dropped = sender_->finish_step(stream, step);
  if (receiver_) {
    const auto& team =
        shared_.lanes[static_cast<std::size_t>(definition_.lane_of(stream, step))].team;
    if (std::find(team.begin(), team.end(), ranks_.writer()) != team.end()) {
      const ScopedTimer timer(Timer::output_wait);
      wait_until([&] { return poll(), receiver_->written(stream, step); },
                 "compute ranks to write a step together", 0.0002);
    }
  }
  poll();
  return dropped;
}

void Engine::poll() {
  for (;;) {
    int there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, ranks_.control, &there, &status);
    if (there == 0) break;
    const bool for_writer = status.MPI_TAG == tag_step || status.MPI_TAG == tag_close;
    for_writer ? receiver_->receive(status) : sender_->receive(status);
  }
  if (receiver_) receiver_->write_ready();
  sender_->advance();
}

void Engine::close(bool abandon) {
  if (!abandon) {
    wait_until([&] { return poll(), !sender_->spilled(); }, "spilled output to drain", 0.001);
  }
  sender_->say_close(abandon);
  if (receiver_) {
    wait_until([&] { return poll(), receiver_->all_closed(); }, "compute ranks to close", 0.001);
    receiver_->finish();
  }
  wait_until([&] { return poll(), sender_->all_done(); }, "writers to complete their files", 0.001);
  // Only now: MPI may keep a message to oneself until it is taken.
  if (receiver_) receiver_->leave();
  sender_->finish();
  receiver_.reset();
  free_shared_parts(shared_);  // collective with the I/O ranks
}

std::string Engine::describe() const {
  auto text = definition_.settings.mode;
  if (ranks_.dedicated()) {
    text += fmt::format(", {} I/O rank{}", ranks_.io_ranks, ranks_.io_ranks == 1 ? "" : "s");
  } else if (ranks_.writers > 1) {
    text += fmt::format(", {} compute ranks write", ranks_.writers);
  }
  if (shared_.staging) text += ", transport " + shared_.staging->describe();
  for (const auto& lane : shared_.lanes) {
    if (!lane.reason.empty() && text.find(lane.reason) == std::string::npos) {
      text += "; " + lane.reason;
    }
  }
  return text;
}

}  // namespace thalweg
