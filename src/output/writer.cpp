// SPDX-License-Identifier: Apache-2.0
// Brings steps of streams into files: plan, conversion, container.
#include "output/writer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "output/dates.hpp"
#include "thalweg/error.hpp"
#include "thalweg/timers.hpp"
#include "thalweg/trace.hpp"

namespace thalweg {

Writer::Writer(const Definition& definition,
               std::span<const std::array<std::vector<IndexRun>, 3>> runs)
    : definition_(definition) {
  const ScopedTimer timer(Timer::plan);
  for (std::size_t place = 0; place < plans_.size(); ++place) {
    if (definition.sizes[place] == 0) continue;
    std::vector<std::vector<IndexRun>> of_place;
    for (const auto& source : runs) of_place.push_back(source[place]);
    try {
      plans_[place] = Plan(definition.sizes[place], of_place);
    } catch (const Error& error) {
      throw Error(error.blame(), fmt::format("place '{}': {}", place_names[place], error.what()));
    }
  }
}

FileDescription Writer::describe(const Stream& stream, const FileTimes& times) const {
  FileDescription file;
  const auto& settings = stream.settings;
  const auto part = settings.partitions == 1
                        ? std::string()
                        : fmt::format("_p{}of{}", times.partition + 1, settings.partitions);
  file.path = fmt::format("{}/{}{}_{}{}", definition_.settings.directory, settings.name, part,
                          short_date_after(definition_.settings.start_date, times.times_s.front()),
                          containers().front().suffix);
  for (const int index : stream.fields) {
    auto field = definition_.fields[static_cast<std::size_t>(index)];
    const auto levels = definition_.levels_of(stream, field);
    if (field.levels > 1) {
      file.level_numbers.clear();
      for (const int level : levels) file.level_numbers.push_back(level + 1);
      field.levels = static_cast<int>(levels.size());
    }
    file.fields.push_back(field);
  }
  file.sizes.assign(definition_.sizes.begin(), definition_.sizes.end());
  file.times_s = times.times_s;
  file.steps = times.steps;
  file.start_date = definition_.settings.start_date;
  file.grid = definition_.settings.grid;
  file.title = definition_.settings.title;
  file.source = definition_.settings.source;
  file.history = fmt::format("{}: written by Thalweg, stream '{}'", definition_.settings.start_date,
                             settings.name);
  file.float64 = settings.precision == "float64";
  file.chunked = settings.layout == "chunked";
  return file;
}

Writer::OpenFile& Writer::file_for(int stream, int step) {
  const auto& chosen = definition_.streams[static_cast<std::size_t>(stream)];
  const int file = chosen.schedule.file_of(step);
  const auto [entry, fresh] = open_.try_emplace({stream, file});
  if (fresh) {
    const auto& times = chosen.schedule.files()[static_cast<std::size_t>(file)];
    try {
      entry->second = {containers().front().create(describe(chosen, times)), times.steps.size()};
    } catch (...) {
      open_.erase(entry);
      throw;
    }
  }
  return entry->second;
}

void Writer::put(int stream, int step, int position, std::span<const SourceArray> arrays) {
  const auto& chosen = definition_.streams[static_cast<std::size_t>(stream)];
  const auto& field =
      definition_
          .fields[static_cast<std::size_t>(chosen.fields[static_cast<std::size_t>(position)])];
  const auto& plan = plans_[static_cast<std::size_t>(field.place)];
  const int levels = static_cast<int>(definition_.levels_of(chosen, field).size());
  const auto values = static_cast<std::size_t>(plan.global_size() * levels);
  trace(chosen, step, position, arrays);

  const double begin_s = now_s();
  const bool float64 = chosen.settings.precision == "float64";
  const void* ordered = nullptr;
  if (float64) {
    doubles_.resize(std::max(doubles_.size(), values));
    reorder(plan, arrays, levels, doubles_.data());
    ordered = doubles_.data();
  } else {
    floats_.resize(std::max(floats_.size(), values));
    reorder(plan, arrays, levels, floats_.data());
    ordered = floats_.data();
  }
  const double reordered_s = now_s();
  auto& file = file_for(stream, step);
  const auto& steps =
      chosen.schedule.files()[static_cast<std::size_t>(chosen.schedule.file_of(step))].steps;
  const auto time_index = std::lower_bound(steps.begin(), steps.end(), step) - steps.begin();
  file.container->put(position, static_cast<int>(time_index), ordered);
  const double written_s = now_s();

  const auto bytes = static_cast<std::int64_t>(values * (float64 ? sizeof(double) : sizeof(float)));
  add_time(Timer::io_reorder, begin_s, reordered_s);
  add_time(Timer::io_write, reordered_s, written_s);
  record_event(EventKind::reorder, begin_s, reordered_s, bytes, chosen.settings.name, field.name,
               step);
  record_event(EventKind::write, reordered_s, written_s, bytes, chosen.settings.name, field.name,
               step);
}

void Writer::finish_step(int stream, int step) {
  auto& file = file_for(stream, step);
  if (--file.steps_left > 0) return;
  const ScopedTimer timer(Timer::io_close);
  const double begin_s = now_s();
  const auto& chosen = definition_.streams[static_cast<std::size_t>(stream)];
  file.container->close();
  open_.erase({stream, chosen.schedule.file_of(step)});
  record_event(EventKind::close, begin_s, now_s(), 0, chosen.settings.name, "", step);
}

void Writer::close() {
  std::string unfinished;
  for (auto& [key, file] : open_) {
    const auto& stream = definition_.streams[static_cast<std::size_t>(key.first)].settings;
    if (stream.layout == "chunked") {  // its time axis is as long as what was written
      file.container->close();
    } else {
      file.container->abandon();
      unfinished = stream.name;
    }
  }
  open_.clear();
  if (unfinished.empty()) return;
  throw Error(
      Blame::user,
      fmt::format("stream '{}' was closed before its last scheduled output, so its last file "
                  "keeps '.part' in its name; set the stream's end to the end of the run, or "
                  "layout = \"chunked\"",
                  unfinished));
}

void Writer::abandon() noexcept {
  for (auto& [key, file] : open_) file.container->abandon();
  open_.clear();
}

void Writer::trace(const Stream& stream, int step, int position,
                   std::span<const SourceArray> arrays) const {
  const auto& field =
      definition_
          .fields[static_cast<std::size_t>(stream.fields[static_cast<std::size_t>(position)])];
  if (!trace_watches(field.name, step)) return;
  const auto& target = trace_target();
  const auto& plan = plans_[static_cast<std::size_t>(field.place)];
  const auto levels = definition_.levels_of(stream, field);
  const auto found =
      std::find(levels.begin(), levels.end(), field.levels == 1 ? 0 : target.level - 1);
  if (found == levels.end() || target.point >= plan.global_size()) return;
  const auto level = found - levels.begin();
  const auto& run = plan.find(target.point);
  const auto local = run.local + target.point - run.global;
  const auto& array = arrays[static_cast<std::size_t>(run.source)];
  const auto points = plan.points()[static_cast<std::size_t>(run.source)];
  const auto offset = array.order == ArrayOrder::level_innermost
                          ? local * static_cast<std::int64_t>(levels.size()) + level
                          : level * points + local;
  const double value = array.values[offset];
  trace_stop("plan", local, value,
             fmt::format("run of {} points from rank {}: local {} -> global {}", run.length,
                         run.source, run.local, run.global));
  const bool float64 = stream.settings.precision == "float64";
  trace_stop("codec", target.point,
             float64 ? value : static_cast<double>(static_cast<float>(value)),
             fmt::format("none: float64 -> {}, nothing else", stream.settings.precision));
}

}  // namespace thalweg
