// SPDX-License-Identifier: Apache-2.0
// Hands the fields of one output time to the library; the first stop of a traced value.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "fields.hpp"
#include "thalweg/timers.hpp"
#include "thalweg/trace.hpp"

namespace thalweg::mini {
namespace {

/// Is the traced step one of a stream's at this time? Steps are counted per stream.
bool traced_step_is_due(const FieldInfo& field, std::span<const StreamSettings> streams,
                        double time_s) {
  return std::any_of(streams.begin(), streams.end(), [&](const StreamSettings& stream) {
    const int step = static_cast<int>(std::lround((time_s - stream.start_s) / stream.interval_s));
    return trace_watches(field.name, step) && time_s <= stream.end_s &&
           std::abs(stream.start_s + step * stream.interval_s - time_s) < 1e-3;
  });
}

/// Prints the kernel's stop, on the rank that owns the traced point.
void trace_kernel(const FieldRow& row, const PlacePart& part, int levels, Derived::Values values) {
  const TraceTarget& target = trace_target();
  const auto end = part.global.begin() + part.owned;
  const auto found = std::lower_bound(part.global.begin(), end, target.point);
  if (found == end || *found != target.point || target.level > levels) return;
  const auto local = found - part.global.begin();
  trace_stop("kernel", local, values[static_cast<std::size_t>(local) * levels + target.level - 1],
             fmt::format("{}, unit {}, level {}", row.info.long_name, row.info.units, target.level),
             row.kernel);
}

}  // namespace

void put_fields(Output& output, std::span<const StreamSettings> streams, const Mesh& mesh,
                int levels, Derived& derived, double time_s) {
  derived.reset();
  std::vector<double> reduced;
  for (const FieldRow& row : field_table()) {
    if (!output.wants(row.info.name, time_s)) continue;
    const PlacePart& part = mesh.part(row.info.place);
    Derived::Values values;
    {
      const ScopedTimer timer(Timer::derive_output);
      values = (derived.*row.compute)();
      if (row.reduction) {
        reduced.resize(part.owned);
        level_reduction({part.owned, levels}, *row.reduction, values, reduced);
        values = reduced;
      }
    }
    const int field_levels = row.info.levels == 0 ? levels : row.info.levels;
    if (trace_watches(row.info.name) && traced_step_is_due(row.info, streams, time_s)) {
      trace_kernel(row, part, field_levels, values);
    }
    output.put(row.info.name, FieldView{values.data(), field_levels, 1}, time_s);
  }
}

}  // namespace thalweg::mini
