// SPDX-License-Identifier: Apache-2.0
// Slice by slice, so that a writer holds one slice as it came and one slab of it, never a step.
#include "output/receiver.hpp"

#include <fmt/format.h>

#include "output/tags.hpp"
#include "thalweg/timers.hpp"

namespace thalweg {

namespace {

/// What of a slot is this writer's to take: the budget of an I/O rank counts that.
std::int64_t share_of_slot(const SlotMap& map, const LaneDivision& division, int lane, int writer) {
  std::int64_t bytes = 0;
  for (std::size_t number = 0; number < division.slices.size(); ++number) {
    if (division.slices[number].writer == writer)
      bytes += map.bytes(lane, static_cast<int>(number));
  }
  return bytes;
}

}  // namespace

Receiver::Receiver(const Definition& definition, std::span<const LaneDivision> lanes,
                   const Ranks& ranks, std::span<const OwnedRuns> runs, int slots,
                   StagingMemory& staging, MPI_Comm writers,
                   std::function<void(const Error&)> on_failure)
    : definition_(definition),
      divisions_(lanes),
      ranks_(ranks),
      slots_(slots),
      staging_(staging),
      writer_(definition, lanes, runs, ranks, writers, std::move(on_failure)),
      outbox_(ranks.control) {
  for (const auto& source : runs) maps_.emplace_back(definition_, lanes, source, slots);
}

void Receiver::receive(const MPI_Status& status) {
  int size = 0;
  MPI_Get_count(&status, MPI_INT64_T, &size);
  std::vector<std::int64_t> values(static_cast<std::size_t>(size));
  MPI_Recv(values.data(), size, MPI_INT64_T, status.MPI_SOURCE, status.MPI_TAG, ranks_.control,
           MPI_STATUS_IGNORE);
  if (status.MPI_TAG == tag_close) {
    ++closed_;
    abandoned_ = abandoned_ || values[0] != 0;
    return;
  }
  const int stream = static_cast<int>(values[0]), step = static_cast<int>(values[1]);
  auto& pending = pending_[{stream, step}];
  const auto source = static_cast<std::size_t>(status.MPI_SOURCE);
  pending.orders.resize(static_cast<std::size_t>(ranks_.compute_ranks));
  pending.slots.resize(static_cast<std::size_t>(ranks_.compute_ranks));
  pending.slots[source] = values[2];
  for (std::size_t field = 3; field < values.size(); ++field) {
    pending.orders[source].push_back(static_cast<ArrayOrder>(values[field]));
  }
  if (values[2] >= 0) {
    const int lane = definition_.lane_of(stream, step);
    waiting_bytes_ += share_of_slot(maps_[source], divisions_[static_cast<std::size_t>(lane)], lane,
                                    ranks_.writer());
    record_high_water(waiting_bytes_);
  }
  if (++pending.announced < ranks_.compute_ranks) return;
  const auto ready = std::move(pending);
  pending_.erase({stream, step});
  take(stream, step, ready);
}

void Receiver::take(int stream, int step, const Step& ready) {
  const int lane = definition_.lane_of(stream, step);
  last_written_[lane] = step;
  if (ready.slots.front() < 0) {
    writer_.drop(stream, step);
    return;
  }
  const auto& chosen = definition_.streams[static_cast<std::size_t>(stream)];
  const auto& slices = divisions_[static_cast<std::size_t>(lane)].slices;
  for (std::size_t number = 0; number < slices.size(); ++number) {
    if (slices[number].writer != ranks_.writer()) continue;
    const auto& field = definition_.field_of(chosen, slices[number].position);
    const double begin_s = now_s();
    fetch(lane, static_cast<int>(number), ready, field.type);
    add_time(Timer::io_get, begin_s, now_s());
    record_event(EventKind::get, begin_s, now_s(),
                 slices[number].points * slices[number].levels * staged_bytes(field.type),
                 chosen.settings.name, field.name, step);
    writer_.put(stream, step, static_cast<int>(number), arrays_);
  }
  // The staging memory may be read in place: it is free only now that every slice is in the file.
  for (int rank = 0; rank < ranks_.compute_ranks; ++rank) {
    const auto source = static_cast<std::size_t>(rank);
    outbox_.post(rank, tag_credit, {lane, ready.slots[source]});
    waiting_bytes_ -= share_of_slot(maps_[source], divisions_[static_cast<std::size_t>(lane)], lane,
                                    ranks_.writer());
  }
  writer_.finish_step(stream, step);
}

void Receiver::fetch(int lane, int slice, const Step& ready, ValueType type) {
  std::int64_t total = 0;
  for (int source = 0; source < ranks_.compute_ranks; ++source) {
    if (!staging_.in_place(source))
      total += maps_[static_cast<std::size_t>(source)].bytes(lane, slice);
  }
  if (static_cast<std::int64_t>(buffer_.size()) < total) {
    buffer_.resize(static_cast<std::size_t>(total));
  }
  arrays_.clear();
  auto* into = buffer_.data();
  const auto staged = type == ValueType::float32 ? ValueType::float32 : ValueType::float64;
  for (int source = 0; source < ranks_.compute_ranks; ++source) {
    const auto& map = maps_[static_cast<std::size_t>(source)];
    const auto bytes = map.bytes(lane, slice);
    const auto slot = static_cast<int>(ready.slots[static_cast<std::size_t>(source)]);
    const std::byte* values = into;
    if (bytes > 0) {
      values =
          staging_.fetch(source, lane * slots_ + slot, map.offset(lane, slot, slice), bytes, into);
    }
    const auto order =
        ready.orders[static_cast<std::size_t>(source)][static_cast<std::size_t>(slice)];
    arrays_.push_back({values, staged, order});
    if (!staging_.in_place(source)) into += bytes;
  }
  staging_.fetch_all();
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
  for (int rank = 0; rank < ranks_.compute_ranks; ++rank) outbox_.post(rank, tag_done, {0, 0});
}

void Receiver::leave() { outbox_.drain("compute ranks to take the last words"); }

}  // namespace thalweg
