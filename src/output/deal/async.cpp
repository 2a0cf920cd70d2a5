// SPDX-License-Identifier: Apache-2.0
// Mode async: one I/O rank per lane writes whole fields; lanes are dealt round-robin.
#include "output/deal/mode.hpp"

namespace thalweg {

LaneDivision divide_async(const Definition& definition, int lane, int writers) {
  const auto& stream = definition.streams[definition.stream_of(lane)];
  const int writer = lane % writers;
  return {{writer}, whole_fields(definition, stream, writer), ""};
}

}  // namespace thalweg
