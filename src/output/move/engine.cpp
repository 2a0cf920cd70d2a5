// SPDX-License-Identifier: Apache-2.0
// Takes messages in and gives them to whom they concern.
#include "output/move/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/call_limit.hpp"
#include "output/deal/tags.hpp"
#include "output/move/runs_exchange.hpp"
#include "ranks/agreement.hpp"
#include "thalweg/timers.hpp"
#include "thalweg/wait.hpp"

namespace thalweg {

EngineParts make_engine_parts(const Definition& definition, const Ranks& ranks,
                              const OwnedRuns& runs) {
  EngineParts shared;
  shared.lanes = divide_lanes(definition, ranks.writers);
  shared.slots = slots_per_lane(definition, shared.lanes, ranks.io_ranks);
  come_together(ranks.control, "all ranks to begin their output");
  {
    const CallLimit limit("all ranks to begin their output");
    MPI_Comm_split(ranks.control, ranks.writer() >= 0 ? 0 : MPI_UNDEFINED, ranks.rank,
                   &shared.writers);
  }
  StagingRanks parties;
  parties.comm = ranks.data;
  parties.sources.resize(ranks.compute_ranks);
  std::iota(parties.sources.begin(), parties.sources.end(), 0);
  for (int writer = 0; writer < ranks.writers; ++writer) {
    parties.takers.push_back(ranks.rank_of_writer(writer));
  }
  const auto bytes =
      ranks.is_compute() ? SlotMap(definition, shared.lanes, runs, shared.slots).total() : 0;
  shared.staging = make_staging_memory(definition.words.transport, parties, bytes);
  return shared;
}

void free_engine_parts(EngineParts& shared) {
  shared.staging.reset();
  if (shared.writers != MPI_COMM_NULL) MPI_Comm_free(&shared.writers);
}

namespace {

std::vector<Engine*>& open_engines() {
  static std::vector<Engine*> all;
  return all;
}

}  // namespace

Engine::Engine(const Definition& definition, const Ranks& ranks, const OwnedRuns& runs,
               const PerPlace<std::vector<std::int64_t>>& positions, FailureNews& news,
               std::function<void()> on_poll)
    : definition_(definition), ranks_(ranks), news_(news), on_poll_(std::move(on_poll)) {
  pulse_.emplace(ranks_.control, tag_pulse, [ranks](int rank) { return ranks.name_of(rank); });
  RunsMessage message;
  for (int writer = 0; writer < ranks_.writers; ++writer) {
    const int destination = ranks_.rank_of_writer(writer);
    if (destination != ranks_.rank) send_runs(runs, destination, ranks_.control, message);
  }
  std::vector<OwnedRuns> all;
  if (ranks_.writer() >= 0) all = receive_runs(ranks_.compute_ranks, ranks_.control, &runs);
  wait_all(message.requests, "writers to take the owned points");
  shared_ = make_engine_parts(definition, ranks_, runs);
  const auto keep = [this](const Error& error) { news_.tell(error); };
  sender_.emplace(
      definition_, shared_.lanes, ranks_, runs, positions, *shared_.staging, shared_.slots,
      [this] { poll(); }, keep);
  if (ranks_.writer() >= 0) {
    receiver_.emplace(definition_, shared_.lanes, ranks_, all, shared_.slots, *shared_.staging,
                      shared_.writers, keep);
  }
  open_engines().push_back(this);
}

Engine::~Engine() { std::erase(open_engines(), this); }

bool Engine::finish_step(int stream, int step) {
  const bool dropped = sender_->finish_step(stream, step);
  if (receiver_) {
    const auto& team = shared_.lanes[definition_.lane_of(stream, step)].team;
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
  for (auto* engine : open_engines()) {
    if (engine != this) engine->look_for_later();
  }
  if (failed_meanwhile_) throw Error(*failed_meanwhile_);
  look();
  news_.throw_if_left();
  on_poll_();
}

// What goes wrong there is the failure of that output, not of the one that waits.
void Engine::look_for_later() {
  if (failed_meanwhile_) return;
  try {
    look();
  } catch (const std::exception& error) {
    failed_meanwhile_ = error_of(error);
  }
}

void Engine::look() {
  if (news_.over()) {
    pulse_.reset();  // what is left of this output is no one to wait for
    return;
  }
  for (;;) {
    int there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, ranks_.control, &there, &status);
    if (there == 0) break;
    if (pulse_ && pulse_->take(status)) continue;
    note_progress();
    if (news_.is_news(status)) {
      news_.receive(status);
      if (sender_) sender_->give_up();
      continue;
    }
    const bool for_writer =
        status.MPI_TAG == tag_step || status.MPI_TAG == tag_close || status.MPI_TAG == tag_written;
    for_writer ? receiver_->receive(status) : sender_->receive(status);
  }
  if (news_.left()) return;
  if (receiver_) receiver_->write_ready();
  sender_->advance();
}

void Engine::say_close() {
  wait_until([&] { return poll(), !sender_->any_waiting(); }, "spilled output to drain", 0.001);
  // Of steps that some announced, others never will.
  sender_->say_close(news_.first() < news_.none());
  said_close_ = true;
}

void Engine::close(bool abandon) {
  if (!said_close_) sender_->say_close(abandon);
  if (receiver_) {
    wait_until([&] { return poll(), receiver_->all_closed(); }, "compute ranks to close", 0.001);
    receiver_->finish();
  }
  wait_until([&] { return poll(), sender_->all_done(); }, "writers to complete their files", 0.001);
  // Only now: MPI may keep a message to oneself until it is taken.
  if (receiver_) receiver_->leave();
  sender_->finish();
  news_.drain();
  receiver_.reset();
  pulse_.reset();
  free_engine_parts(shared_);  // collective with the I/O ranks
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
