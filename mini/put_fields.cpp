// SPDX-License-Identifier: Apache-2.0
// Hands the fields of one output time to the library; the first stop of a traced value.
#include "put_fields.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "thalweg/timers.hpp"
#include "thalweg/trace.hpp"

namespace thalweg::mini {
namespace {

/// Is the traced step one of a stream's at this time? Steps are counted per stream.
bool traced_step_is_due(const FieldInfo& field, std::span<const StreamSettings> streams,
                        ModelTime time) {
  return std::any_of(streams.begin(), streams.end(), [&](const StreamSettings& stream) {
    const auto passed_ms = (time - stream.start).ms();
    if (passed_ms < 0 || time > stream.end || passed_ms % stream.interval.ms() != 0) return false;
    return trace_watches(field.name, static_cast<int>(passed_ms / stream.interval.ms()));
  });
}

/// Prints the kernel's stop, on the rank that owns the traced point.
void trace_kernel(const OutputRow& row, const PlacePart& part, std::span<const double> values,
                  bool lowest_first) {
  const TraceTarget& target = trace_target();
  const auto end = part.global.begin() + part.owned;
  const auto found = std::lower_bound(part.global.begin(), end, target.point);
  if (found == end || *found != target.point || target.level > row.info.levels) return;
  const auto local = found - part.global.begin();
  const int level = lowest_first ? row.info.levels - target.level : target.level - 1;
  trace_stop("kernel", local, values[local * row.info.levels + level],
             fmt::format("{}, unit {}, level {}", row.info.long_name, row.info.units, target.level),
             row.kernel);
}

}  // namespace

void put_fields(Output& output, std::span<const StreamSettings> streams, const Mesh& mesh,
                Core& core, ModelTime time) {
  core.begin_output();
  const bool lowest_first = core.lowest_level_first();
  for (std::size_t row = 0; row < core.rows().size(); ++row) {
    const FieldInfo& info = core.rows()[row].info;
    if (!output.wants(info.name, time.seconds())) continue;
    std::span<const double> values;
    {
      const ScopedTimer timer(Timer::derive_output);
      values = core.values(row);
    }
    if (trace_watches(info.name) && traced_step_is_due(info, streams, time)) {
      trace_kernel(core.rows()[row], mesh.part(info.place), values, lowest_first);
    }
    const FieldView view = lowest_first
                               ? FieldView{values.data() + info.levels - 1, info.levels, -1}
                               : FieldView{values.data(), info.levels, 1};
    output.put(info.name, view, time);
  }
}

}  // namespace thalweg::mini
