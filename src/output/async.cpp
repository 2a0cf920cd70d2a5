// SPDX-License-Identifier: Apache-2.0
// Mode async: one I/O rank per lane writes whole fields; lanes are dealt round-robin.
#include "output/mode.hpp"

namespace thalweg {

LaneDivision divide_async(const Definition& definition, int lane, int writers) {
  const auto& stream = definition.streams[static_cast<std::size_t>(definition.stream_of(lane))];
  const int writer = lane % writers;
  return {{writer}, false, whole_fields(definition, stream, writer), ""};
}

}  // namespace thalweg
