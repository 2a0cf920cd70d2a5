// SPDX-License-Identifier: Apache-2.0
// Mode auto: many streams go to one writer each, few large ones are shared; chosen per stream.
#include <fmt/format.h>

#include "output/deal/mode.hpp"

namespace thalweg {

namespace {
// Below this a writer's share is too short to pay for sharing a file (PEERS: "16 MB or more").
constexpr std::int64_t smallest_share_bytes = 16'000'000;
}  // namespace

LaneDivision divide_auto(const Definition& definition, int lane, int writers) {
  const auto& stream = definition.streams[definition.stream_of(lane)];
  const int lanes = definition.lanes();
  const auto bytes = definition.bytes_of_step(stream);
  const auto team = static_cast<std::int64_t>(team_of(definition, lane, writers).size());
  const auto facts = fmt::format(
      "{} stream{} in {} lane{}, {} writer{}, {:.1f} MB a step", definition.streams.size(),
      definition.streams.size() == 1 ? "" : "s", lanes, lanes == 1 ? "" : "s", writers,
      writers == 1 ? "" : "s", static_cast<double>(bytes) * 1e-6);
  const bool busy = lanes >= writers;
  const bool small = bytes < team * smallest_share_bytes;
  auto division = busy || small ? divide_async(definition, lane, writers)
                                : divide_shared_file(definition, lane, writers);
  division.reason = fmt::format("stream '{}': {} ({}: {})", stream.settings.name,
                                busy || small ? "one writer" : "shared file", facts,
                                busy    ? "every writer has a lane of its own to write"
                                : small ? "too little for each of several writers"
                                        : "few large streams keep all writers busy only together");
  return division;
}

}  // namespace thalweg
