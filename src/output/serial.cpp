// SPDX-License-Identifier: Apache-2.0
// Mode serial: rank 0 gathers every field and writes it while the others wait.
#include "output/mode.hpp"

namespace thalweg {

LaneDivision divide_serial(const Definition& definition, int lane, int) {
  const auto& stream = definition.streams[static_cast<std::size_t>(definition.stream_of(lane))];
  return {{0}, false, whole_fields(definition, stream, 0), ""};
}

}  // namespace thalweg
