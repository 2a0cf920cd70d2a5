// SPDX-License-Identifier: Apache-2.0
// How much staging memory the streams take, before there is any.
#include "output/deal/mode.hpp"
#include "output/deal/slot_map.hpp"
#include "thalweg/memory.hpp"

namespace thalweg {

double bytes_on_the_way(std::span<const StreamSettings> streams, std::span<const FieldInfo> fields,
                        const OutputSettings& settings, const PerPlace<std::int64_t>& sizes) {
  Definition definition;
  definition.use(settings);
  definition.sizes = sizes;
  definition.fields.assign(fields.begin(), fields.end());
  double slot_bytes = 0.0;  // of one slot of every lane
  for (const auto& each : streams) {
    // One time is enough: the schedule of a whole run may be what does not fit.
    definition.streams.push_back({each, Schedule(StreamSettings{}),
                                  resolve_variables(each, definition.fields), definition.lanes()});
    const auto& stream = definition.streams.back();
    for (const int index : stream.fields) {
      const auto& field = definition.fields[index];
      slot_bytes += static_cast<double>(sizes[field.place] * staged_bytes(field.type)) *
                    static_cast<double>(definition.levels_of(stream, field).size()) *
                    each.partitions;
    }
  }
  const int io_ranks = dedicated_io_ranks(settings);
  if (io_ranks == 0) return slot_bytes;
  return slot_bytes * slots_per_lane(definition, divide_lanes(definition, io_ranks), io_ranks);
}

}  // namespace thalweg
