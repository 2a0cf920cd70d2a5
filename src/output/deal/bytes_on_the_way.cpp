// SPDX-License-Identifier: Apache-2.0
// How much staging memory a stream takes, before there is any.
#include "output/deal/mode.hpp"
#include "output/deal/slot_map.hpp"
#include "thalweg/memory.hpp"

namespace thalweg {

std::int64_t bytes_on_the_way(const StreamSettings& stream, std::span<const FieldInfo> fields,
                              const OutputSettings& settings, const PerPlace<std::int64_t>& sizes) {
  Definition definition;
  definition.sizes = sizes;
  definition.fields.assign(fields.begin(), fields.end());
  // One time is enough: the schedule of a whole run may be what does not fit.
  const Stream resolved{stream, Schedule(StreamSettings{}), resolve_variables(stream, fields), 0};
  std::int64_t step_bytes = 0;
  for (const int index : resolved.fields) {
    const auto& field = definition.fields[index];
    step_bytes += sizes[field.place] *
                  static_cast<std::int64_t>(definition.levels_of(resolved, field).size()) *
                  staged_bytes(field.type);
  }
  const bool dedicated = dedicated_io_ranks(settings) > 0;
  return step_bytes * stream.partitions * (dedicated && settings.budget_bytes == 0 ? 2 : 1);
}

}  // namespace thalweg
