// SPDX-License-Identifier: Apache-2.0
// Deals the times of a stream to partitions (round-robin, as ICON's stream_partitions) and files.
#include "output/deal/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "thalweg/error.hpp"

namespace thalweg {

namespace {

constexpr std::int64_t most_outputs = 100'000'000;  // 3 years of one each second

}  // namespace

void check_schedule(const StreamSettings& stream) {
  const auto where = fmt::format("[[output]] '{}'", stream.name);
  if (stream.interval <= ModelTime() || stream.file_interval < ModelTime()) {
    throw Error(Blame::user,
                fmt::format("{}: interval = {} s must be larger than 0, and "
                            "file_interval = {} s not negative",
                            where, stream.interval.seconds(), stream.file_interval.seconds()));
  }
  if (stream.start < ModelTime()) {
    throw Error(Blame::user, fmt::format("{}: it starts at {} s, before the run does, at 0 s",
                                         where, stream.start.seconds()));
  }
  if (stream.partitions < 1) {
    throw Error(Blame::user,
                fmt::format("{}: partitions = {} must be at least 1", where, stream.partitions));
  }
  if (stream.end == ModelTime()) {
    throw Error(Blame::user, fmt::format("{}: it has no end, and the run has no duration; give one "
                                         "of both (StreamSettings::end, OutputSettings::duration)",
                                         where));
  }
  if (stream.end < stream.start) {
    throw Error(Blame::user, fmt::format("{}: it ends at {} s, before its start at {} s", where,
                                         stream.end.seconds(), stream.start.seconds()));
  }
  if (const auto outputs = (stream.end - stream.start).ms() / stream.interval.ms();
      outputs >= most_outputs) {
    throw Error(Blame::user,
                fmt::format("{}: {} outputs are more than a stream counts ({}); give it a longer "
                            "interval or an earlier end",
                            where, outputs, most_outputs));
  }
}

Schedule::Schedule(const StreamSettings& stream)
    : start_(stream.start), interval_(stream.interval), partitions_(stream.partitions) {
  if (stream.end >= stream.start) {
    steps_ = 1 + static_cast<int>((stream.end - stream.start).ms() / interval_.ms());
  }
  std::map<std::pair<std::int64_t, int>, int> known;  // (file interval, partition) -> file
  for (int step = 0; step < steps_; ++step) {
    const auto span = stream.file_interval > ModelTime()
                          ? (time(step) - start_).ms() / stream.file_interval.ms()
                          : 0;
    const auto [entry, fresh] =
        known.try_emplace({span, partition_of(step)}, static_cast<int>(files_.size()));
    if (fresh) files_.push_back({partition_of(step), {}, {}});
    file_of_.push_back(entry->second);
    auto& file = files_[entry->second];
    file.steps.push_back(step);
    file.times.push_back(time(step));
  }
}

int Schedule::steps_before(ModelTime time) const {
  const auto passed = (time - start_).ms();
  if (passed <= 0) return 0;
  const auto begun = (passed + interval_.ms() - 1) / interval_.ms();
  return static_cast<int>(std::min<std::int64_t>(begun, steps_));
}

bool Schedule::is_due_but_for_its_end(ModelTime time) const {
  const auto passed = (time - start_).ms();
  return passed >= 0 && passed % interval_.ms() == 0 && passed / interval_.ms() >= steps_;
}

std::vector<double> seconds_of(std::span<const ModelTime> times) {
  std::vector<double> seconds;
  for (const auto time : times) seconds.push_back(time.seconds());
  return seconds;
}

std::optional<int> Schedule::step_at(ModelTime time) const {
  const auto passed = (time - start_).ms();
  if (passed < 0 || passed % interval_.ms() != 0) return std::nullopt;
  if (after_ && time <= *after_) return std::nullopt;
  const auto step = passed / interval_.ms();
  if (step >= steps_) return std::nullopt;
  return static_cast<int>(step);
}

}  // namespace thalweg
