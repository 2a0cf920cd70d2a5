// SPDX-License-Identifier: Apache-2.0
// Refuses streams that cannot be written, in one sentence each, before anything is written.
#include <fmt/format.h>

#include "field/names.hpp"
#include "format/container.hpp"
#include "output/deal/mode.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

namespace {

const char* where_levels_lie(bool half) { return half ? "on half levels" : "in layers"; }

void check_layers(const StreamSettings& stream, const std::string& where,
                  std::span<const FieldInfo> fields, std::span<const int> chosen) {
  int layers = 0;
  bool half = false;
  for (const int index : chosen) {
    const auto& field = fields[index];
    if (field.levels == 1) continue;
    if (layers != 0 && field.levels != layers) {
      throw Error(Blame::user,
                  fmt::format("{}: field '{}' has {} levels and another one {}; write them "
                              "in two streams",
                              where, field.name, field.levels, layers));
    }
    if (layers != 0 && field.half_levels != half) {
      throw Error(
          Blame::user,
          fmt::format("{}: field '{}' lies {} and another one {}; write them in two streams", where,
                      field.name, where_levels_lie(!half), where_levels_lie(half)));
    }
    layers = field.levels;
    half = field.half_levels;
  }
  for (std::size_t entry = 0; entry < stream.levels.size() && layers > 0; ++entry) {
    const int level = stream.levels[entry];
    if (level < 1 || level > layers) {
      throw Error(Blame::user, fmt::format("{}: level {} does not exist; its fields have levels 1 "
                                           "to {}",
                                           where, level, layers));
    }
    if (entry > 0 && level <= stream.levels[entry - 1]) {
      throw Error(Blame::user, fmt::format("{}: levels must ascend, but {} follows {}", where,
                                           level, stream.levels[entry - 1]));
    }
  }
}

void check_storage(const StreamSettings& stream, std::span<const FieldInfo> fields,
                   std::span<const int> chosen, const OutputSettings& settings,
                   const PerPlace<std::int64_t>& sizes) {
  const auto& kind = find_container(stream.container, settings.way);
  FileDescription file;  // what is known of its largest file
  file.sizes = sizes;
  const auto& mode = find_mode(settings.mode);
  const bool shared = may_share_steps(mode, settings.io_ranks, stream.partitions);
  if (shared && !mode.own_files) {  // every partition has a team; 0: compute ranks, not known here
    file.writers = (settings.io_ranks + stream.partitions - 1) / stream.partitions;
  }
  if (shared && mode.own_files && !kind.parts) {
    throw Error(Blame::user,
                fmt::format("[[output]]: container '{}' holds whole grids only, which [io] mode = "
                            "\"{}\" divides; choose another mode or container",
                            stream.container, settings.mode));
  }
  file.start_date = settings.start_date;
  const Schedule schedule(stream);
  for (const auto& times : schedule.files()) {
    if (times.steps.size() <= file.steps.size()) continue;
    file.steps = times.steps;
    file.times_s = seconds_of(times.times);
  }
  for (const int index : chosen) file.fields.push_back(fields[index]);
  file.compression = stream.compression;
  const auto words = words_of(stream);
  file.float64 = words.precision == Precision::float64;
  file.chunked = words.layout == Layout::chunked;
  check_file(kind, file);
}

}  // namespace

void check_stream(const StreamSettings& given, std::span<const FieldInfo> fields,
                  const OutputSettings& settings, const PerPlace<std::int64_t>& sizes) {
  const auto stream = with_end(given, settings.duration);
  check_name("[[output]]", stream.name, longest_stream_name);
  const auto where = fmt::format("[[output]] '{}'", stream.name);
  if (stream.name.find('\\') != stream.name.npos) {
    throw Error(Blame::user,
                fmt::format("{}: its name may not contain a backslash: netCDF takes it "
                            "for the end of a folder's name",
                            where));
  }
  const auto chosen = resolve_variables(stream, fields);
  check_schedule(stream);
  check_layers(stream, where, fields, chosen);
  try {
    check_storage(stream, fields, chosen, settings, sizes);
  } catch (const Error& error) {  // containers do not know for which stream they are asked
    constexpr std::string_view table = "[[output]]:";
    const std::string_view sentence = error.what();
    if (!sentence.starts_with(table)) throw;
    throw Error(error.blame(), fmt::format("{}:{}", where, sentence.substr(table.size())));
  }
}

}  // namespace thalweg
