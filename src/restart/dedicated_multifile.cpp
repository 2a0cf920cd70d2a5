// SPDX-License-Identifier: Apache-2.0
// Mode dedicated_multifile: every restart rank writes its own file, with the parts of its share.
#include <fmt/format.h>

#include "restart/mode.hpp"

namespace thalweg {

std::vector<PartPlace> place_dedicated(std::span<const std::int64_t> part_bytes,
                                       int restart_ranks) {
  const int compute_ranks = static_cast<int>(part_bytes.size());
  std::vector<std::int64_t> file_bytes(restart_ranks, 0);
  std::vector<PartPlace> places;
  for (int rank = 0; rank < compute_ranks; ++rank) {
    const int writer = taker_of(rank, compute_ranks, restart_ranks);
    auto& size = file_bytes[writer];
    places.push_back({fmt::format("parts_{:06}.bin", writer), 0, size, writer});
    size += part_bytes[rank];
  }
  for (auto& place : places) place.file_bytes = file_bytes[place.writer];
  return places;
}

}  // namespace thalweg
