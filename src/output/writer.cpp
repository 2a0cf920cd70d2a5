// SPDX-License-Identifier: Apache-2.0
// Brings slices of steps into files: plan, reorder and convert slab by slab, container.
#include "output/writer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "output/describe_file.hpp"
#include "output/share.hpp"
#include "output/team_texts.hpp"
#include "thalweg/error.hpp"
#include "thalweg/timers.hpp"
#include "thalweg/trace.hpp"

namespace thalweg {

Writer::Writer(const Definition& definition, std::span<const LaneDivision> lanes,
               std::span<const OwnedRuns> runs, const Ranks& ranks, MPI_Comm writers,
               std::function<void(const Error&)> on_failure)
    : definition_(definition),
      lanes_(lanes),
      ranks_(ranks),
      runs_(runs.begin(), runs.end()),
      on_failure_(std::move(on_failure)) {
  for (const auto& lane : lanes_) {
    const bool member =
        std::find(lane.team.begin(), lane.team.end(), ranks_.writer()) != lane.team.end();
    teams_.push_back(MPI_COMM_NULL);
    MPI_Comm_split(writers, member ? 0 : MPI_UNDEFINED, ranks_.writer(), &teams_.back());
  }
  make_rooms();
  // Plans are made now, so that a decomposition with gaps is refused before the first file.
  attempt([&] {
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
      const auto& stream =
          definition_
              .streams[static_cast<std::size_t>(definition_.stream_of(static_cast<int>(lane)))];
      for (const auto& slice : lanes_[lane].slices) {
        if (slice.writer == ranks_.writer()) {
          plan_for(definition_.field_of(stream, slice.position), slice);
        }
      }
    }
  });
}

Writer::~Writer() {
  open_.clear();
  rooms_.clear();
  for (auto& team : teams_) {
    if (team != MPI_COMM_NULL) MPI_Comm_free(&team);
  }
}

// For teams whose files grow while they are written. A lane has one file open at a time: its steps
// come in order. Who asks for messages gets no window.
void Writer::make_rooms() {
  rooms_.resize(lanes_.size());
  if (definition_.settings.transport == "two_sided") return;
  for (int lane = 0; lane < static_cast<int>(lanes_.size()); ++lane) {
    const auto number = static_cast<std::size_t>(lane);
    const auto& division = lanes_[number];
    if (teams_[number] == MPI_COMM_NULL || division.team.size() == 1 || division.own_files)
      continue;
    const int stream = definition_.stream_of(lane);
    const auto& container =
        definition_.streams[static_cast<std::size_t>(stream)].settings.container;
    const auto file = describe_file(definition_, division, stream, 0, ranks_.writer());
    if (find_container(container, definition_.settings.way).grows(file))
      rooms_[number] = make_team_room(teams_[number]);
  }
}

template <class Act>
void Writer::attempt(const Act& act) {
  if (failure_) return;
  try {
    act();
  } catch (const Error& error) {
    failure_ = error;
    on_failure_(error);
  }
}

const Plan& Writer::plan_for(const FieldInfo& field, const Slice& slice) {
  const auto place = static_cast<std::size_t>(field.place);
  const auto [entry, fresh] = plans_.try_emplace({place, slice.first_point, slice.points}, Plan{});
  if (!fresh) return entry->second;
  const ScopedTimer timer(Timer::plan);
  try {
    const bool whole = slice.points == definition_.sizes[place];
    std::vector<std::vector<IndexRun>> runs;
    for (const auto& source : runs_) {
      runs.push_back(whole ? source[place]
                           : share_of(source[place], slice.first_point, slice.points).runs);
    }
    entry->second = Plan(slice.points, runs);
  } catch (const Error& error) {
    plans_.erase(entry);
    throw Error(error.blame(), fmt::format("place '{}': {}", place_names[place], error.what()));
  }
  return entry->second;
}

MPI_Comm Writer::team_of_file(int lane) const {
  return lanes_[static_cast<std::size_t>(lane)].own_files ? MPI_COMM_SELF
                                                          : teams_[static_cast<std::size_t>(lane)];
}

int Writer::time_index(int stream, int step) const {
  const auto& schedule = definition_.streams[static_cast<std::size_t>(stream)].schedule;
  const auto& steps = schedule.files()[static_cast<std::size_t>(schedule.file_of(step))].steps;
  return static_cast<int>(std::lower_bound(steps.begin(), steps.end(), step) - steps.begin());
}

// A failed rank creates the file with its team all the same, and says that it failed.
Writer::OpenFile& Writer::file_for(int stream, int step) {
  const auto& chosen = definition_.streams[static_cast<std::size_t>(stream)];
  const int file = chosen.schedule.file_of(step);
  const auto [entry, fresh] = open_.try_emplace({stream, file});
  if (!fresh) return entry->second;
  entry->second.steps_left = chosen.schedule.files()[static_cast<std::size_t>(file)].steps.size();
  const int lane = definition_.lane_of(stream, step);
  const auto make = [&] {
    entry->second.file = std::make_unique<TeamFile>(
        find_container(chosen.settings.container, definition_.settings.way),
        describe_file(definition_, lanes_[static_cast<std::size_t>(lane)], stream, file,
                      ranks_.writer()),
        team_of_file(lane), rooms_[static_cast<std::size_t>(lane)].get(), !failure_);
  };
  if (!failure_) {
    attempt(make);
  } else {
    try {
      make();
    } catch (const Error&) {  // the file does not come to be; why is known already
    }
  }
  return entry->second;
}

void Writer::put(int stream, int step, int slice_number, std::span<const SourceArray> arrays) {
  const auto& chosen = definition_.streams[static_cast<std::size_t>(stream)];
  const int lane = definition_.lane_of(stream, step);
  const auto& slice =
      lanes_[static_cast<std::size_t>(lane)].slices[static_cast<std::size_t>(slice_number)];
  const auto& field = definition_.field_of(chosen, slice.position);
  auto& open = file_for(stream, step);
  open.begun = true;
  attempt([&] {
    if (!open.file) return;
    const auto& plan = plan_for(field, slice);
    trace(stream, step, slice, plan, arrays);
    const bool float64 = chosen.settings.precision == "float64";
    const bool swap =
        find_container(chosen.settings.container, definition_.settings.way).big_endian;
    const auto row_bytes = slice.points * (float64 ? 8 : 4);
    // Columns are read eight levels at a time: whole cache lines.
    const auto least = arrays.front().order == ArrayOrder::level_innermost ? 8 : 1;
    const auto fitting = open.file->slab_bytes() / std::max<std::int64_t>(row_bytes, 1);
    const auto slab_levels = static_cast<int>(std::clamp<std::int64_t>(
        fitting / least * least, std::min(least, slice.levels), slice.levels));
    slab_.resize(std::max(slab_.size(), static_cast<std::size_t>(row_bytes * slab_levels)));
    const bool own_file = lanes_[static_cast<std::size_t>(lane)].own_files;
    const int time = time_index(stream, step);
    double reorder_s = 0.0, write_s = 0.0, begin_s = now_s();
    const double first_s = begin_s;
    for (int level = 0; level < slice.levels; level += slab_levels) {
      const int count = std::min(slab_levels, slice.levels - level);
      const ReorderWindow window{level, count, 0, slice.points};
      reorder(plan, arrays, slice.levels, window, swap,
              float64 ? ValueType::float64 : ValueType::float32, slab_.data());
      const double reordered_s = now_s();
      open.file->put(Piece{slice.position, slice.first_level + level, count,
                           own_file ? 0 : slice.first_point, slice.points},
                     time, slab_.data());
      const double written_s = now_s();
      reorder_s += reordered_s - begin_s;
      write_s += written_s - reordered_s;
      begin_s = written_s;
    }
    // Slabs alternate between the two: the timeline shows them as one interval each.
    const auto bytes = row_bytes * slice.levels;
    add_time(Timer::io_reorder, first_s, first_s + reorder_s);
    add_time(Timer::io_write, first_s + reorder_s, first_s + reorder_s + write_s);
    record_event(EventKind::reorder, first_s, first_s + reorder_s, bytes, chosen.settings.name,
                 field.name, step);
    record_event(EventKind::write, first_s + reorder_s, first_s + reorder_s + write_s, bytes,
                 chosen.settings.name, field.name, step);
  });
}

void Writer::end_step(int stream, int step, bool dropped) {
  auto& open = file_for(stream, step);
  open.begun = true;
  const auto& chosen = definition_.streams[static_cast<std::size_t>(stream)];
  if (open.file) {
    const int time = time_index(stream, step);
    const bool well = !failure_;
    const double begin_s = now_s();
    try {
      dropped ? open.file->drop(time, well) : open.file->finish_time(time, well);
    } catch (const Error& error) {
      open.file.reset();
      attempt([&] { throw error; });
    }
    add_time(Timer::io_write, begin_s, now_s());
  }
  if (--open.steps_left > 0) return;
  const int file = chosen.schedule.file_of(step);
  const double begin_s = now_s();
  close_file(stream, file, open);
  open_.erase({stream, file});
  add_time(Timer::io_close, begin_s, now_s());
  record_event(EventKind::close, begin_s, now_s(), 0, chosen.settings.name, "", step);
  if (ranks_.dedicated()) make_next_file(stream, file);
}

// Now, when compute ranks are busy with the steps before it: not when its first step is there.
void Writer::make_next_file(int stream, int file) {
  const auto& files = definition_.streams[static_cast<std::size_t>(stream)].schedule.files();
  const auto& last = files[static_cast<std::size_t>(file)];
  const FileTimes* next = nullptr;
  for (const auto& other : files) {
    if (other.partition != last.partition || other.steps.front() <= last.steps.back()) continue;
    if (next == nullptr || other.steps.front() < next->steps.front()) next = &other;
  }
  if (next != nullptr) file_for(stream, next->steps.front());
}

void Writer::finish_step(int stream, int step) { end_step(stream, step, false); }
void Writer::drop(int stream, int step) { end_step(stream, step, true); }

void Writer::close_file(int stream, int file, OpenFile& open) {
  const auto& chosen = definition_.streams[static_cast<std::size_t>(stream)];
  const int partition = chosen.schedule.files()[static_cast<std::size_t>(file)].partition;
  const auto lane = static_cast<std::size_t>(chosen.first_lane + partition);
  if (open.file) {
    try {
      open.file->close(!failure_);
    } catch (const Error& error) {
      open.file.reset();
      attempt([&] { throw error; });
    }
  }
  if (!lanes_[lane].own_files || lanes_[lane].team.size() == 1) return;
  // The parts are complete under their names: then, and only then, the file that ties them
  // together.
  const bool complete = all_of_team(teams_[lane], open.file && !failure_);
  if (complete && ranks_.writer() == lanes_[lane].team.front()) {
    attempt([&] { write_index(definition_, lanes_[lane], stream, file); });
  }
}

void Writer::close() {
  std::string unfinished;
  for (auto& [key, open] : open_) {
    const auto& stream = definition_.streams[static_cast<std::size_t>(key.first)].settings;
    if (open.file && !open.begun) {
      open.file->discard();
    } else if (stream.layout == "chunked" || stream.compression != "none" || !open.file) {
      close_file(key.first, key.second, open);  // its time axis is as long as what was written
    } else {
      open.file->abandon();
      unfinished = stream.name;
    }
  }
  open_.clear();
  if (unfinished.empty()) return;
  attempt([&] {
    throw Error(
        Blame::user,
        fmt::format("stream '{}' was closed before its last scheduled output, so its last file "
                    "keeps '.part' in its name; set the stream's end to the end of the run, or "
                    "layout = \"chunked\"",
                    unfinished));
  });
}

void Writer::abandon() noexcept {
  for (auto& [key, open] : open_) {
    if (open.file) open.begun ? open.file->abandon() : open.file->discard();
  }
  open_.clear();
}

void Writer::trace(int stream, int step, const Slice& slice, const Plan& plan,
                   std::span<const SourceArray> arrays) const {
  const auto& chosen = definition_.streams[static_cast<std::size_t>(stream)];
  const auto& field = definition_.field_of(chosen, slice.position);
  if (!trace_watches(field.name, step)) return;
  const auto& target = trace_target();
  const auto levels = definition_.levels_of(chosen, field);
  const auto found =
      std::find(levels.begin(), levels.end(), field.levels == 1 ? 0 : target.level - 1);
  const auto level = found - levels.begin() - slice.first_level;
  const auto point = target.point - slice.first_point;
  if (found == levels.end() || level < 0 || level >= slice.levels || point < 0 ||
      point >= slice.points) {
    return;
  }
  const auto& run = plan.find(point);
  const auto local = run.local + point - run.global;
  const auto& array = arrays[static_cast<std::size_t>(run.source)];
  const auto points = plan.points()[static_cast<std::size_t>(run.source)];
  const auto offset = array.order == ArrayOrder::level_innermost ? local * slice.levels + level
                                                                 : level * points + local;
  const double value = array.type == ValueType::float32
                           ? static_cast<double>(static_cast<const float*>(array.values)[offset])
                           : static_cast<const double*>(array.values)[offset];
  trace_stop("plan", local, value,
             fmt::format("run of {} points from rank {}: local {} -> global {}", run.length,
                         run.source, run.local, run.global + slice.first_point));
  const bool float64 = chosen.settings.precision == "float64";
  trace_stop("codec", target.point,
             float64 ? value : static_cast<double>(static_cast<float>(value)),
             fmt::format("float64 -> {}, compression {}", chosen.settings.precision,
                         chosen.settings.compression));
}

}  // namespace thalweg
