// SPDX-License-Identifier: Apache-2.0
// Mode file_parallel: every writer has a file of its own with consecutive points of every field.
#include <algorithm>

#include "output/deal/mode.hpp"

namespace thalweg {

LaneDivision divide_file_parallel(const Definition& definition, int lane, int writers) {
  const auto& stream = definition.streams[definition.stream_of(lane)];
  LaneDivision division;
  division.team = team_of(definition, lane, writers);
  const auto size_of = [&](int index) {
    const auto place = definition.fields[index].place;
    return definition.sizes[place];
  };
  auto members = static_cast<std::int64_t>(division.team.size());
  for (const int index : stream.fields) members = std::min(members, size_of(index));
  division.team.resize(members);  // no file without points
  for (std::size_t position = 0; position < stream.fields.size(); ++position) {
    const auto& field = definition.fields[stream.fields[position]];
    const auto levels = static_cast<int>(definition.levels_of(stream, field).size());
    const auto size = size_of(stream.fields[position]);
    for (std::int64_t member = 0; member < members; ++member) {
      const auto begin = size * member / members, end = size * (member + 1) / members;
      division.slices.push_back(
          {static_cast<int>(position), 0, levels, begin, end - begin, division.team[member]});
    }
  }
  return division;
}

}  // namespace thalweg
