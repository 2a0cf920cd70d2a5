// SPDX-License-Identifier: Apache-2.0
// Deals the times of a stream to partitions (round-robin, as ICON's stream_partitions) and files.
#include "output/schedule.hpp"

#include <cmath>
#include <map>

namespace thalweg {

namespace {
constexpr double slack = 1e-6;  // of an interval: sums of time steps do not hit a time exactly
}

Schedule::Schedule(const StreamSettings& stream)
    : start_s_(stream.start_s), interval_s_(stream.interval_s), partitions_(stream.partitions) {
  if (stream.end_s >= stream.start_s) {
    steps_ =
        1 + static_cast<int>(std::floor((stream.end_s - stream.start_s) / interval_s_ + slack));
  }
  std::map<std::pair<long, int>, int> known;  // (file interval, partition) -> file
  for (int step = 0; step < steps_; ++step) {
    const long span = stream.file_interval_s > 0.0
                          ? static_cast<long>(std::floor(
                                (time_s(step) - start_s_) / stream.file_interval_s + slack))
                          : 0;
    const auto [entry, fresh] =
        known.try_emplace({span, partition_of(step)}, static_cast<int>(files_.size()));
    if (fresh) files_.push_back({partition_of(step), {}, {}});
    file_of_.push_back(entry->second);
    auto& file = files_[static_cast<std::size_t>(entry->second)];
    file.steps.push_back(step);
    file.times_s.push_back(time_s(step));
  }
}

std::vector<StreamSettings> streams_after(std::vector<StreamSettings> streams, double time_s) {
  if (time_s <= 0.0) return streams;
  for (auto& stream : streams) {
    if (stream.start_s > time_s) continue;
    const double passed = std::floor((time_s - stream.start_s) / stream.interval_s + slack);
    stream.start_s += (passed + 1.0) * stream.interval_s;
  }
  std::erase_if(streams, [](const StreamSettings& stream) {
    return stream.start_s > stream.end_s + slack * stream.interval_s;
  });
  return streams;
}

std::optional<int> Schedule::step_at(double time_s) const {
  const double step = (time_s - start_s_) / interval_s_;
  const double nearest = std::round(step);
  if (std::abs(step - nearest) > slack || nearest < 0.0 || nearest >= steps_) return std::nullopt;
  return static_cast<int>(nearest);
}

}  // namespace thalweg
