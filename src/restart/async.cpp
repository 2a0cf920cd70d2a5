// SPDX-License-Identifier: Apache-2.0
// Mode async: one file; every restart rank writes the parts of its share at offsets known
// beforehand.
#include "restart/mode.hpp"

namespace thalweg {

std::vector<PartPlace> place_async(std::span<const std::int64_t> part_bytes, int restart_ranks) {
  auto places = place_in_one_file(part_bytes);
  const int compute_ranks = static_cast<int>(places.size());
  for (int rank = 0; rank < compute_ranks; ++rank) {
    places[rank].writer = taker_of(rank, compute_ranks, restart_ranks);
  }
  return places;
}

}  // namespace thalweg
