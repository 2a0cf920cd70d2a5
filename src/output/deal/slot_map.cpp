// SPDX-License-Identifier: Apache-2.0
// Lays slices out one after another, lane by lane.
#include "output/deal/slot_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "output/deal/share.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

namespace {
constexpr std::int64_t alignment = 64;  // a cache line: no two slices share one
}

SlotMap::SlotMap(const Definition& definition, std::span<const LaneDivision> lanes,
                 const OwnedRuns& runs, int slots) {
  std::map<std::tuple<Place, std::int64_t, std::int64_t>, std::int64_t> counted;
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    const auto& stream = definition.streams[definition.stream_of(static_cast<int>(lane))];
    Lane entry;
    entry.offset = total_;
    for (const auto& slice : lanes[lane].slices) {
      const auto& field = definition.field_of(stream, slice.position);
      const Place place = field.place;
      const auto [known, fresh] = counted.try_emplace({place, slice.first_point, slice.points});
      if (fresh) known->second = points_in(runs[place], slice.first_point, slice.points);
      const auto bytes = known->second * slice.levels * staged_bytes(field.type);
      entry.slices.push_back({entry.bytes, bytes, known->second});
      entry.bytes += (bytes + alignment - 1) / alignment * alignment;
    }
    total_ += slots * entry.bytes;
    lanes_.push_back(std::move(entry));
  }
}

std::int64_t SlotMap::offset(int lane, int slot, int slice) const {
  const auto& entry = lanes_[lane];
  return entry.offset + slot * entry.bytes + entry.slices[slice].offset;
}

std::int64_t SlotMap::bytes(int lane, int slice) const { return lanes_[lane].slices[slice].bytes; }

std::int64_t SlotMap::points(int lane, int slice) const {
  return lanes_[lane].slices[slice].points;
}

int slots_per_lane(const Definition& definition, std::span<const LaneDivision> lanes,
                   int io_ranks) {
  if (io_ranks == 0) return 1;
  const auto budget = definition.settings.budget_bytes;
  if (budget == 0) return 2;
  std::vector<std::int64_t> step(io_ranks);
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    const auto& stream = definition.streams[definition.stream_of(static_cast<int>(lane))];
    for (const auto& slice : lanes[lane].slices) {
      const auto& field = definition.field_of(stream, slice.position);
      step[slice.writer] += slice.points * slice.levels * staged_bytes(field.type);
    }
  }
  const auto largest = *std::max_element(step.begin(), step.end());
  if (largest > budget) {
    throw Error(Blame::user,
                fmt::format("[io]: budget = {} MiB is smaller than one step of the streams of an "
                            "I/O rank, which is {} MiB; raise it, or ask for more I/O ranks",
                            budget >> 20, (largest >> 20) + 1));
  }
  constexpr std::int64_t most = 16;  // deeper queues only delay the moment a model has to wait
  return largest == 0 ? 1 : static_cast<int>(std::min(budget / largest, most));
}

}  // namespace thalweg
