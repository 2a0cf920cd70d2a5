// SPDX-License-Identifier: Apache-2.0
// Hands the fields of one output time to the library; the first stop of a traced value.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "fields.hpp"
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
void trace_kernel(const FieldRow& row, const PlacePart& part, int levels, Derived::Values values) {
  const TraceTarget& target = trace_target();
  const auto end = part.global.begin() + part.owned;
  const auto found = std::lower_bound(part.global.begin(), end, target.point);
  if (found == end || *found != target.point || target.level > levels) return;
  const auto local = found - part.global.begin();
  trace_stop("kernel", local, values[local * levels + target.level - 1],
             fmt::format("{}, unit {}, level {}", row.info.long_name, row.info.units, target.level),
             row.kernel);
}

}  // namespace

void put_fields(Output& output, std::span<const StreamSettings> streams, const Mesh& mesh,
                int levels, Derived& derived, ModelTime time) {
  derived.reset();
  std::vector<double> reduced;
  for (const FieldRow& row : field_table()) {
    if (!output.wants(row.info.name, time.seconds())) continue;
    const PlacePart& part = mesh.part(row.info.place);
    Derived::Values values;
    {
      const ScopedTimer timer(Timer::derive_output);
      values = row.compute(derived);
      if (row.reduction) {
        reduced.resize(part.owned);
        reduce_levels({part.owned, levels}, *row.reduction, values, reduced);
        values = reduced;
      }
    }
    const int field_levels = row.info.levels == 0 ? levels : row.info.levels;
    if (trace_watches(row.info.name) && traced_step_is_due(row.info, streams, time)) {
      trace_kernel(row, part, field_levels, values);
    }
    output.put(row.info.name, FieldView{values.data(), field_levels, 1}, time);
  }
}

}  // namespace thalweg::mini
