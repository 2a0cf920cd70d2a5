// SPDX-License-Identifier: Apache-2.0
// Mode shared_file: writers share one file; each owns consecutive fields and levels, so that what
// it writes is long and contiguous.
#include <algorithm>

#include "output/deal/mode.hpp"

namespace thalweg {

LaneDivision divide_shared_file(const Definition& definition, int lane, int writers) {
  const auto& stream = definition.streams[definition.stream_of(lane)];
  LaneDivision division;
  division.team = team_of(definition, lane, writers);
  const auto members = static_cast<std::int64_t>(division.team.size());
  const auto total = definition.bytes_of_step(stream);
  std::int64_t before = 0;  // bytes of the levels dealt so far, in file order
  for (std::size_t position = 0; position < stream.fields.size(); ++position) {
    const auto& field = definition.fields[stream.fields[position]];
    const auto points = definition.sizes[field.place];
    const auto bytes = points * static_cast<std::int64_t>(bytes_of(stream.type_of(field)));
    const auto levels = static_cast<int>(definition.levels_of(stream, field).size());
    for (int level = 0; level < levels; ++level, before += bytes) {
      // A level belongs to the member in whose share of the bytes its middle lies.
      const auto member = std::min((2 * before + bytes) * members / (2 * total), members - 1);
      const int writer = division.team[member];
      auto& slices = division.slices;
      if (level > 0 && slices.back().writer == writer) {
        ++slices.back().levels;
      } else {
        slices.push_back({static_cast<int>(position), level, 1, 0, points, writer});
      }
    }
  }
  return division;
}

}  // namespace thalweg
