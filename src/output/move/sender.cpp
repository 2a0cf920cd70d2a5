// SPDX-License-Identifier: Apache-2.0
// A slot goes: free -> filling (put) -> announced -> taken by every writer of its lane -> free.
// Where one I/O rank takes a lane it may begin before the slot is full. Where several writers share
// files they must write steps in one order, so every compute rank announces the steps of all such
// lanes in the order in which they were finished: what comes behind a spilled step waits too.
#include "output/move/sender.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "output/deal/tags.hpp"
#include "output/move/pack.hpp"
#include "ranks/agreement.hpp"
#include "ranks/pending.hpp"
#include "thalweg/timers.hpp"
#include "thalweg/trace.hpp"
#include "thalweg/wait.hpp"

namespace thalweg {

Sender::Sender(const Definition& definition, std::span<const LaneDivision> lanes,
               const Ranks& ranks, const OwnedRuns& runs,
               const PerPlace<std::vector<std::int64_t>>& positions, StagingMemory& staging,
               int slots, std::function<void()> pump, std::function<void(const Error&)> on_error)
    : definition_(definition),
      divisions_(lanes),
      ranks_(ranks),
      runs_(runs),
      positions_(positions),
      staging_(staging),
      map_(definition, lanes, runs, slots),
      slots_(slots),
      pump_(std::move(pump)),
      on_error_(std::move(on_error)),
      lanes_(lanes.size()),
      outbox_(ranks.control) {
  for (auto& lane : lanes_) lane.credits.assign(slots_, 0);
}

const Sender::Shape& Sender::shape_of(Place place, const Slice& slice) {
  const auto [entry, fresh] = shapes_.try_emplace({place, slice.first_point, slice.points});
  if (fresh) {
    const auto share = share_of(runs_[place], slice.first_point, slice.points);
    entry->second = {array_stretches(share.owned, positions_[place]), share.points};
  }
  return entry->second;
}

std::byte* Sender::target(int lane, int slice) {
  auto& state = lanes_[lane];
  if (state.filling == Lane::Filling::slot) {
    return staging_.memory() + map_.offset(lane, state.slot, slice);
  }
  return state.aside.data() + map_.offset(lane, 0, slice) - map_.offset(lane, 0, 0);
}

void Sender::put(int stream, int step, int position, const FieldView& view) {
  const int lane = definition_.lane_of(stream, step);
  auto& state = lanes_[lane];
  const auto& chosen = definition_.streams[stream];
  const auto& field = definition_.field_of(chosen, position);
  if (state.filling == Lane::Filling::nothing) acquire(lane, stream, step);
  if (state.filling == Lane::Filling::dropped) return;

  const double begin_s = now_s();
  const auto levels = definition_.levels_of(chosen, field);
  const auto& slices = divisions_[lane].slices;
  std::int64_t bytes = 0;
  for (std::size_t number = 0; number < slices.size(); ++number) {
    const auto& slice = slices[number];
    if (slice.position != position) continue;
    const auto& shape = shape_of(field.place, slice);
    const auto wanted = std::span(levels).subspan(slice.first_level, slice.levels);
    state.orders[number] = pack(view, {shape.stretches, shape.points, field.levels, wanted},
                                target(lane, static_cast<int>(number)));
    state.filled[number] = true;
    bytes += map_.bytes(lane, static_cast<int>(number));
  }
  add_time(Timer::output_copy, begin_s, now_s());
  record_event(EventKind::copy, begin_s, now_s(), bytes, chosen.settings.name, field.name, step);
  if (state.filling == Lane::Filling::slot) announce_filled(lane, stream, step);
  if (ranks_.rank == 0 && trace_watches(field.name, step)) {
    trace_stop(
        "mode", -1, 0.0,
        fmt::format("{}: lane {}, slot {}, transport {}, {} writer{}", definition_.settings.mode,
                    lane, state.slot, staging_.describe(), divisions_[lane].team.size(),
                    divisions_[lane].team.size() == 1 ? "" : "s"));
  }
}

// Finds a place for the next step of the lane: the only place where output stalls a model.
void Sender::acquire(int lane, int stream, int step) {
  auto& state = lanes_[lane];
  const auto pressure = definition_.words.backpressure;
  auto& owed = state.credits[state.slot];
  pump_();
  const bool free = owed == 0 && state.waiting == 0;
  state.orders.assign(divisions_[lane].slices.size(), ArrayOrder::level_innermost);
  state.filled.assign(state.orders.size(), false);
  state.announced = 0;
  state.filling = Lane::Filling::slot;
  if (ranks_.dedicated() && pressure == Backpressure::thin && !agree_to_take(free)) {
    state.filling = Lane::Filling::dropped;
    return;
  }
  if (free) return;
  if (ranks_.dedicated() && pressure == Backpressure::spill) {
    if (!state.spill) {
      state.spill = std::make_unique<Spill>(definition_.settings.spill_directory,
                                            fmt::format("thalweg_{}_{}", ranks_.rank, lane));
    }
    state.aside.resize(map_.slot_bytes(lane));
    state.filling = Lane::Filling::spill;
    return;
  }
  const double begin_s = now_s();
  wait_until([&] { return pump_(), owed == 0; }, "a free staging buffer", 0.0005);
  add_time(Timer::output_wait, begin_s, now_s());
  record_event(EventKind::wait, begin_s, now_s(), 0, definition_.streams[stream].settings.name, "",
               step);
}

// Compute ranks must drop the same steps: rank 0 decides. A slot it sees free is free, or about to
// be, everywhere.
bool Sender::agree_to_take(bool free) {
  Pending<int> take;
  *take = free ? 1 : 0;
  MPI_Ibcast(&*take, 1, MPI_INT, 0, ranks_.compute, &take.request());
  wait_until(
      [&] {
        pump_();
        int done = 0;
        MPI_Test(&take.request(), &done, MPI_STATUS_IGNORE);
        return done != 0;
      },
      "compute rank 0 to decide whether an output step is dropped");
  return *take != 0;
}

bool Sender::finish_step(int stream, int step) {
  const int lane = definition_.lane_of(stream, step);
  auto& state = lanes_[lane];
  const auto filling = std::exchange(state.filling, Lane::Filling::nothing);
  auto& queue = queue_of(lane);
  if (filling == Lane::Filling::slot && queue.empty()) {
    publish(lane, {stream, step, state.orders}, state.announced);
  } else if (filling == Lane::Filling::slot) {
    queue.push_back({lane, {stream, step, state.orders}, false});
    ++state.waiting;
  } else if (filling == Lane::Filling::spill) {
    const double begin_s = now_s();
    try {
      state.spill->push(state.aside, step);
      queue.push_back({lane, {stream, step, state.orders}, true});
      ++state.waiting;
    } catch (const std::exception& error) {
      on_error_(error_of(error));  // told to the other compute ranks at the next check
    }
    record_event(EventKind::spill, begin_s, now_s(), map_.slot_bytes(lane),
                 definition_.streams[stream].settings.name, "", step);
  } else {
    std::vector<std::int64_t> dropped(4 + state.orders.size());
    dropped[0] = stream, dropped[1] = step, dropped[2] = -1;
    for (const int writer : divisions_[lane].team) {
      outbox_.post_words(ranks_.rank_of_writer(writer), tag_step, dropped);
    }
  }
  return filling == Lane::Filling::dropped;
}

// Not where several writers share files: they must write steps in one order. And not by message: a
// writer that never takes a half-filled step, because the model failed, would leave it under way.
bool Sender::announces_early(const LaneDivision& division) const {
  return ranks_.dedicated() && division.team.size() == 1 &&
         !staging_.sends(ranks_.rank_of_writer(division.team.front()));
}

// Not every small field is worth a message.
void Sender::announce_filled(int lane, int stream, int step) {
  auto& state = lanes_[lane];
  if (!announces_early(divisions_[lane])) return;
  constexpr std::int64_t worth_bytes = 1 << 20;
  std::int64_t bytes = 0;
  auto end = state.announced;
  for (; end < state.filled.size() && state.filled[end]; ++end) {
    bytes += map_.bytes(lane, static_cast<int>(end));
  }
  if (bytes < worth_bytes) return;
  announce(lane, {stream, step, state.orders}, state.announced, end);
  state.announced = end;
}

void Sender::announce(int lane, const Step& step, std::size_t first, std::size_t end) {
  const auto& state = lanes_[lane];
  const auto& division = divisions_[lane];
  const double begin_s = now_s();
  std::int64_t sent = 0;
  std::vector<std::int64_t> announcement{step.stream, step.step, state.slot,
                                         static_cast<std::int64_t>(first)};
  for (std::size_t number = first; number < end; ++number) {
    const auto slice = static_cast<int>(number);
    announcement.push_back(static_cast<std::int64_t>(step.orders[number]));
    const auto bytes = map_.bytes(lane, slice);
    sent += bytes;
    if (bytes == 0) continue;
    staging_.offer(ranks_.rank_of_writer(division.slices[number].writer),
                   lane * slots_ + state.slot, map_.offset(lane, state.slot, slice), bytes);
  }
  for (const int writer : division.team) {
    outbox_.post_words(ranks_.rank_of_writer(writer), tag_step, announcement);
  }
  record_event(EventKind::send, begin_s, now_s(), sent,
               definition_.streams[step.stream].settings.name, "", step.step);
}

void Sender::publish(int lane, const Step& step, std::size_t first) {
  auto& state = lanes_[lane];
  const auto& division = divisions_[lane];
  if (first < division.slices.size()) announce(lane, step, first, division.slices.size());
  state.credits[state.slot] = static_cast<int>(division.team.size());
  state.slot = (state.slot + 1) % slots_;
}

Sender::Queue& Sender::queue_of(int lane) {
  return divisions_[lane].team.size() > 1 ? shared_queue_ : own_queues_[lane];
}

void Sender::advance() {
  advance(shared_queue_);
  for (auto& [lane, queue] : own_queues_) advance(queue);
}

void Sender::advance(Queue& queue) {
  while (!queue.empty() && !spill_broken_) {
    const auto& next = queue.front();
    auto& state = lanes_[next.lane];
    if (state.credits[state.slot] != 0) return;
    if (next.spilled) {
      try {
        state.spill->pop(std::span(staging_.memory() + map_.offset(next.lane, state.slot, 0),
                                   map_.slot_bytes(next.lane)));
      } catch (const std::exception& error) {
        spill_broken_ = true;  // what waits is never announced: all ranks end together
        on_error_(error_of(error));
        return;
      }
    }
    publish(next.lane, next.step, 0);
    --state.waiting;
    queue.pop_front();
    note_progress();
  }
}

bool Sender::any_waiting() const {
  if (given_up_ || spill_broken_) return false;
  return !shared_queue_.empty() ||
         std::any_of(own_queues_.begin(), own_queues_.end(),
                     [](const auto& entry) { return !entry.second.empty(); });
}

void Sender::receive(const MPI_Status& status) {
  const auto values = take_words(status, ranks_.control);
  if (status.MPI_TAG == tag_done) ++done_;
  if (status.MPI_TAG == tag_credit) {
    auto& owed = lanes_[values[0]].credits[values[1]];
    if (--owed == 0 && !given_up_) {
      staging_.reclaim(static_cast<int>(values[0]) * slots_ + static_cast<int>(values[1]));
    }
  }
}

void Sender::say_close(bool abandon) {
  for (int writer = 0; writer < ranks_.writers; ++writer) {
    outbox_.post_words(ranks_.rank_of_writer(writer), tag_close, {abandon ? 1 : 0});
  }
}

void Sender::finish() {
  for (int tag = 0; tag < static_cast<int>(lanes_.size()) * slots_ && !given_up_; ++tag) {
    staging_.reclaim(tag);
  }
  outbox_.drain("writers to take announcements");
}

}  // namespace thalweg
