// SPDX-License-Identifier: Apache-2.0
// A slice is written as soon as every compute rank has announced it: slices of a step in order.
#include "output/move/receiver.hpp"

#include <fmt/format.h>

#include "output/deal/tags.hpp"
#include "thalweg/timers.hpp"

namespace thalweg {

Receiver::Receiver(const Definition& definition, std::span<const LaneDivision> lanes,
                   const Ranks& ranks, std::span<const OwnedRuns> runs, int slots,
                   StagingMemory& staging, MPI_Comm writers,
                   std::function<void(const Error&)> on_failure)
    : definition_(definition),
      divisions_(lanes),
      ranks_(ranks),
      writer_(definition, lanes, runs, ranks, slots, staging, writers, std::move(on_failure)),
      outbox_(ranks.control) {}

void Receiver::receive(const MPI_Status& status) {
  if (status.MPI_TAG == tag_written) return writer_.hear(status);
  const auto values = take_words(status, ranks_.control);
  if (status.MPI_TAG == tag_close) {
    closed_.insert(status.MPI_SOURCE);
    abandoned_ = abandoned_ || values[0] != 0;
    for (const auto& [key, pending] : pending_) require_to_come(key, pending);
    return;
  }
  const StepKey key{static_cast<int>(values[0]), static_cast<int>(values[1])};
  const int lane = definition_.lane_of(key.first, key.second);
  const std::size_t source = status.MPI_SOURCE;
  const std::size_t sources = ranks_.compute_ranks;
  const auto slices = divisions_[lane].slices.size();
  auto& pending = pending_[key];
  if (pending.staged.slots.empty()) {
    pending.missing.assign(slices, ranks_.compute_ranks);
    pending.announced.assign(sources, 0);
    pending.staged.orders.assign(sources, std::vector<ArrayOrder>(slices));
    pending.staged.slots.resize(sources);
  }
  pending.staged.slots[source] = values[2];
  std::size_t slice = values[3];
  for (std::size_t i = 4; i < values.size(); ++i, ++slice) {
    pending.staged.orders[source][slice] = static_cast<ArrayOrder>(values[i]);
    --pending.missing[slice];
    ++pending.announced[source];
    if (values[2] >= 0) waiting_bytes_ += bytes_of(source, lane, slice);
  }
  record_high_water(waiting_bytes_);
  if (writable(pending)) ready_.push_back(key);
  require_to_come(key, pending);
}

// Of a rank that has closed no slice comes any more: nobody is to wait for it.
void Receiver::require_to_come(const StepKey& key, const Step& step) const {
  if (abandoned_) return;
  for (const int rank : closed_) {
    if (step.announced[rank] == static_cast<int>(step.missing.size())) continue;
    const auto& stream = definition_.streams[key.first];
    throw Error(Blame::user,
                fmt::format("{} closed the output before it put the fields of stream '{}' at {} s, "
                            "which other ranks put; all must make the same calls",
                            ranks_.name_of(rank), stream.settings.name,
                            stream.schedule.time(key.second).seconds()));
  }
}

std::int64_t Receiver::bytes_of(std::size_t source, int lane, std::size_t slice) const {
  const bool mine = divisions_[lane].slices[slice].writer == ranks_.writer();
  return mine ? writer_.staged_bytes_of(source, lane, static_cast<int>(slice)) : 0;
}

bool Receiver::writable(const Step& step) const {
  return step.next < step.missing.size() && step.missing[step.next] == 0;
}

// In the order in which steps became ready: the same on every writer of a team, since their steps
// are announced whole.
void Receiver::write_ready() {
  while (!ready_.empty()) {
    const auto key = ready_.front();
    ready_.pop_front();
    const auto found = pending_.find(key);
    if (found == pending_.end()) continue;  // it became ready twice, and was written at once
    auto& step = found->second;
    for (; writable(step); ++step.next) {
      if (step.staged.slots.front() >= 0) write_slice(key, step);
    }
    if (step.next < step.missing.size()) continue;
    end_step(key, step);
    pending_.erase(found);
  }
}

void Receiver::write_slice(const StepKey& key, const Step& step) {
  const int lane = definition_.lane_of(key.first, key.second);
  const auto& slice = divisions_[lane].slices[step.next];
  if (slice.writer != ranks_.writer()) return;
  writer_.put(key.first, key.second, static_cast<int>(step.next), step.staged);
}

// MPI may look for news only after it has said that there are none.
void Receiver::hear_announcements() {
  for (int misses = 0; misses < 2;) {
    int there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, tag_step, ranks_.control, &there, &status);
    if (there != 0) receive(status);
    misses = there != 0 ? 0 : misses + 1;
  }
}

// The staging memory may be read in place: it is free only now that every slice is in the file.
void Receiver::end_step(const StepKey& key, const Step& step) {
  const int lane = definition_.lane_of(key.first, key.second);
  last_written_[lane] = key.second;
  if (step.staged.slots.front() < 0) {
    writer_.drop(key.first, key.second);
    return;
  }
  hear_announcements();  // what waits is at its highest just before some of it is given back
  for (int rank = 0; rank < ranks_.compute_ranks; ++rank) {
    outbox_.post_words(rank, tag_credit, {lane, step.staged.slots[rank]});
    for (std::size_t slice = 0; slice < step.missing.size(); ++slice) {
      waiting_bytes_ -= bytes_of(rank, lane, slice);
    }
  }
  writer_.finish_step(key.first, key.second);
}

void Receiver::count_left(int rank) {
  closed_.insert(rank);
  abandoned_ = true;
}

bool Receiver::written(int stream, int step) const {
  const auto last = last_written_.find(definition_.lane_of(stream, step));
  return last != last_written_.end() && last->second >= step;
}

void Receiver::finish() {
  if (abandoned_) {
    writer_.abandon();
  } else {
    writer_.close();
  }
  for (int rank = 0; rank < ranks_.compute_ranks; ++rank)
    outbox_.post_words(rank, tag_done, {0, 0});
}

void Receiver::leave() {
  writer_.leave();
  outbox_.drain("compute ranks to take the last words");
}

}  // namespace thalweg
