// SPDX-License-Identifier: Apache-2.0
// Brings slices of steps into files: from staging memory, by a plan, slab by slab, to a container.
#include "output/move/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "output/deal/share.hpp"
#include "output/deal/slab.hpp"
#include "thalweg/error.hpp"
#include "thalweg/timers.hpp"
#include "thalweg/trace.hpp"
#include "thalweg/wait.hpp"
#include "timing/trace_calls.hpp"

namespace thalweg {

Writer::Writer(const Definition& definition, std::span<const LaneDivision> lanes,
               std::span<const OwnedRuns> runs, const Ranks& ranks, int slots,
               StagingMemory& staging, MPI_Comm writers,
               std::function<void(const Error&)> on_failure)
    : definition_(definition),
      lanes_(lanes),
      runs_(runs.begin(), runs.end()),
      slots_(slots),
      staging_(staging),
      failure_(std::move(on_failure)),
      files_(definition, lanes, ranks, writers, failure_) {
  for (const auto& source : runs_) maps_.emplace_back(definition_, lanes, source, slots);
  // Plans are made now, so that a decomposition with gaps is refused before the first file.
  failure_.attempt([&] {
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
      const auto& stream = definition_.streams[definition_.stream_of(static_cast<int>(lane))];
      for (const auto& slice : lanes_[lane].slices) {
        if (slice.writer == ranks.writer()) {
          plan_for(definition_.field_of(stream, slice.position), slice);
        }
      }
    }
  });
  if (definition_.same_files && definition_.continues_after) files_.go_on();
}

const Plan& Writer::plan_for(const FieldInfo& field, const Slice& slice) {
  const Place place = field.place;
  const auto [entry, fresh] = plans_.try_emplace({place, slice.first_point, slice.points}, Plan{});
  if (!fresh) return entry->second;
  const double begin_s = now_s();
  try {
    const bool whole = slice.points == definition_.sizes[place];
    std::vector<std::vector<IndexRun>> runs;
    for (const auto& source : runs_) {
      runs.push_back(whole ? source[place]
                           : share_of(source[place], slice.first_point, slice.points).runs);
    }
    entry->second = Plan(slice.points, runs);
    add_time(Timer::plan, begin_s, now_s());
    record_event(EventKind::reorder, begin_s, now_s(), 0, "", field.name);
  } catch (const Error& error) {
    plans_.erase(entry);
    throw Error(error.blame(), fmt::format("place '{}': {}", place_names[place], error.what()));
  }
  return entry->second;
}

// The arrays of all sources: where they lie, if this rank sees their memory, or copied from there.
void Writer::fetch(int lane, int slice, const StagedSlots& staged, ValueType type) {
  const auto sources = static_cast<int>(maps_.size());
  std::int64_t total = 0;
  for (int source = 0; source < sources; ++source) {
    if (!staging_.in_place(source)) total += maps_[source].bytes(lane, slice);
  }
  if (static_cast<std::int64_t>(buffer_.size()) < total) {
    buffer_.resize(total);
  }
  arrays_.clear();
  auto* into = buffer_.data();
  for (int source = 0; source < sources; ++source) {
    const auto& map = maps_[source];
    const auto bytes = map.bytes(lane, slice);
    const auto slot = static_cast<int>(staged.slots[source]);
    const std::byte* values = into;
    if (bytes > 0) {
      values =
          staging_.fetch(source, lane * slots_ + slot, map.offset(lane, slot, slice), bytes, into);
    }
    const auto order = staged.orders[source][slice];
    arrays_.push_back({values, type, order});
    if (!staging_.in_place(source)) into += bytes;
  }
  staging_.fetch_all();
}

void Writer::put(int stream, int step, int slice_number, const StagedSlots& staged) {
  const auto& chosen = definition_.streams[stream];
  const int lane = definition_.lane_of(stream, step);
  const auto& slice = lanes_[lane].slices[slice_number];
  const auto& field = definition_.field_of(chosen, slice.position);
  const double begin_s = now_s();
  try {
    fetch(lane, slice_number, staged, field.type);
  } catch (const std::exception& error) {
    failure_.keep(error);  // and goes on taking part in what the team does together
  }
  add_time(Timer::io_get, begin_s, now_s());
  record_event(EventKind::get, begin_s, now_s(),
               slice.points * slice.levels * staged_bytes(field.type), chosen.settings.name,
               field.name, step);
  auto* file = files_.file_of(stream, step);
  if (file == nullptr || failure_.happened()) return;
  try {
    const auto& plan = plan_for(field, slice);
    const TraceScope scope(trace(stream, step, slice, plan));
    write_slabs(stream, step, slice, plan, *file);
  } catch (const std::exception& error) {
    failure_.keep(error);
  }
}

// Slab by slab, so that a writer holds one slice as it came and one slab of it, never a step.
void Writer::write_slabs(int stream, int step, const Slice& slice, const Plan& plan,
                         TeamFile& file) {
  const auto& chosen = definition_.streams[stream];
  const auto& field = definition_.field_of(chosen, slice.position);
  auto& container = file.container();
  const auto type = chosen.type_of(field);
  const bool swap = find_container(chosen.settings.container, definition_.settings.way).big_endian;
  const auto value_bytes = static_cast<std::int64_t>(bytes_of(type));
  const auto slab =
      slab_of({slice.levels, slice.points, value_bytes,
               arrays_.front().order == ArrayOrder::level_innermost && slice.levels > 1,
               container.slab_bytes(), container.cut_points(slice.position)});
  slab_.resize(std::max<std::size_t>(slab_.size(), value_bytes * slab.levels * slab.points));
  const bool own_file = lanes_[definition_.lane_of(stream, step)].own_files;
  const auto first_in_file = own_file ? 0 : slice.first_point;
  double reorder_s = 0.0, write_s = 0.0, begin_s = now_s();
  const double first_s = begin_s;
  for (int level = 0; level < slice.levels; level += slab.levels) {
    const int levels = std::min(slab.levels, slice.levels - level);
    for (std::int64_t point = 0; point < slice.points; point += slab.points) {
      const auto points = std::min(slab.points, slice.points - point);
      reorder(plan, arrays_, slice.levels, {level, levels, point, points}, swap, type,
              slab_.data());
      const double reordered_s = now_s();
      container.put(
          {slice.position, slice.first_level + level, levels, first_in_file + point, points},
          file.times(), slab_.data());
      note_work();
      const double written_s = now_s();
      reorder_s += reordered_s - begin_s;
      write_s += written_s - reordered_s;
      begin_s = written_s;
    }
  }
  // Slabs alternate between the two: the timeline shows them as one interval each.
  const auto bytes = value_bytes * slice.levels * slice.points;
  add_time(Timer::io_reorder, first_s, first_s + reorder_s);
  add_time(Timer::io_write, first_s + reorder_s, first_s + reorder_s + write_s);
  record_event(EventKind::reorder, first_s, first_s + reorder_s, bytes, chosen.settings.name,
               field.name, step);
  record_event(EventKind::write, first_s + reorder_s, first_s + reorder_s + write_s, bytes,
               chosen.settings.name, field.name, step);
}

bool Writer::trace(int stream, int step, const Slice& slice, const Plan& plan) const {
  const auto& chosen = definition_.streams[stream];
  const auto& field = definition_.field_of(chosen, slice.position);
  if (!trace_watches(field.name, step)) return false;
  const auto& target = trace_target();
  const auto levels = definition_.levels_of(chosen, field);
  const auto found =
      std::find(levels.begin(), levels.end(), field.levels == 1 ? 0 : target.level - 1);
  const auto level = found - levels.begin() - slice.first_level;
  const auto point = target.point - slice.first_point;
  if (found == levels.end() || level < 0 || level >= slice.levels || point < 0 ||
      point >= slice.points) {
    return false;
  }
  const auto& run = plan.find(point);
  const auto local = run.local + point - run.global;
  const auto& array = arrays_[run.source];
  const auto points = plan.points()[run.source];
  const auto offset = array.order == ArrayOrder::level_innermost ? local * slice.levels + level
                                                                 : level * points + local;
  const double value = shown_value(array.values, offset, array.type);
  trace_stop("plan", local, value,
             fmt::format("run of {} points from rank {}: local {} -> global {}", run.length,
                         run.source, run.local, run.global + slice.first_point));
  const auto type = chosen.type_of(field);
  const bool narrow = type == ValueType::float32;
  trace_stop("codec", target.point, narrow ? static_cast<double>(static_cast<float>(value)) : value,
             fmt::format("{} -> {}, compression {}", value_type_names[array.type],
                         value_type_names[type], chosen.settings.compression.codec));
  return true;
}

}  // namespace thalweg
