// SPDX-License-Identifier: Apache-2.0
// Refuses streams that cannot be written, in one sentence each, before anything is written.
#include <fmt/format.h>

#include <limits>

#include "format/container.hpp"
#include "output/definition.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

void check_stream(const StreamSettings& stream, std::span<const FieldInfo> fields,
                  const OutputSettings& settings, const std::array<std::int64_t, 3>& sizes) {
  const auto chosen = resolve_variables(stream, fields);
  const auto where = fmt::format("[[output]] '{}'", stream.name);
  if (stream.name.empty() || stream.name.find('/') != std::string::npos) {
    throw Error(Blame::user, fmt::format("{}: a stream's name begins its file names and may not be "
                                         "empty or contain '/'",
                                         where));
  }
  if (!(stream.interval_s > 0.0)) {
    throw Error(Blame::user,
                fmt::format("{}: interval = {} s must be larger than 0", where, stream.interval_s));
  }
  if (stream.end_s < stream.start_s) {
    throw Error(Blame::user, fmt::format("{}: it ends at {} s, before its start at {} s", where,
                                         stream.end_s, stream.start_s));
  }
  int layers = 0;
  for (const int index : chosen) {
    const auto& field = fields[static_cast<std::size_t>(index)];
    if (field.levels == 1) continue;
    if (layers != 0 && field.levels != layers) {
      throw Error(Blame::user,
                  fmt::format("{}: field '{}' has {} levels and another one {}; write them "
                              "in two streams",
                              where, field.name, field.levels, layers));
    }
    layers = field.levels;
  }
  for (std::size_t entry = 0; entry < stream.levels.size() && layers > 0; ++entry) {
    const int level = stream.levels[entry];
    if (level < 1 || level > layers || (entry > 0 && level <= stream.levels[entry - 1])) {
      throw Error(Blame::user,
                  fmt::format("{}: levels must ascend from 1 to at most {}, but {} is among "
                              "them",
                              where, layers, level));
    }
  }
  const auto& kind = find_container(stream.container, settings.way);
  if (kind.check == nullptr) return;
  FileDescription file;  // what is known of its largest file
  file.sizes.assign(sizes.begin(), sizes.end());
  // Files of several writers are parts of the grid: their points are fewer than the grid's.
  if (settings.mode == "file_parallel" &&
      (settings.io_ranks == 0 || settings.io_ranks > stream.partitions)) {
    file.global_sizes.assign(3, std::numeric_limits<std::int64_t>::max());
  }
  file.start_date = settings.start_date;
  const Schedule schedule(stream);
  for (const auto& times : schedule.files()) {
    if (times.steps.size() <= file.steps.size()) continue;
    file.steps = times.steps;
    file.times_s = times.times_s;
  }
  for (const int index : chosen) file.fields.push_back(fields[static_cast<std::size_t>(index)]);
  file.compression = stream.compression;
  file.compression_level = stream.compression_level;
  file.bits = stream.bits;
  file.float64 = stream.precision == "float64";
  file.chunked = stream.layout == "chunked";
  file.may_drop = settings.backpressure == "thin";
  kind.check(file);
}

}  // namespace thalweg
