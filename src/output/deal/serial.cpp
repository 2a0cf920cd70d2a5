// SPDX-License-Identifier: Apache-2.0
// Mode serial: rank 0 gathers every field and writes it while the others wait.
#include "output/deal/mode.hpp"

namespace thalweg {

LaneDivision divide_serial(const Definition& definition, int lane, int) {
  const auto& stream = definition.streams[definition.stream_of(lane)];
  return {{0}, whole_fields(definition, stream, 0), ""};
}

}  // namespace thalweg
