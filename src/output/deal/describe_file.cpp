// SPDX-License-Identifier: Apache-2.0
// Names of files: STREAM[_pPofN]_DATE[.WRITER].SUFFIX.
#include "output/deal/describe_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "field/dates.hpp"
#include "file/mpi_io.hpp"
#include "format/attributes.hpp"
#include "format/fixed_layout.hpp"
#include "format/netcdf/virtual_dataset.hpp"

namespace thalweg {

namespace {

std::string name_of_partition(const StreamSettings& stream, int partition) {
  if (stream.partitions == 1) return stream.name;
  return fmt::format("{}_p{}of{}", stream.name, partition + 1, stream.partitions);
}

std::string path_of(const Definition& definition, const Stream& stream, const FileTimes& times,
                    int member) {
  const auto& settings = stream.settings;
  return fmt::format("{}/{}_{}{}{}", definition.settings.directory,
                     name_of_partition(settings, times.partition),
                     short_date_after(definition.settings.start_date, times.times.front()),
                     member < 0 ? "" : fmt::format(".{:03}", member),
                     find_container(settings.container, definition.settings.way).suffix);
}

// Corners make files that CDO weighs and remaps by area. Compression shrinks values, not corners:
// rarely by more than 4.
bool has_bounds(const Stream& stream, const FileDescription& file) {
  const auto wish = stream.words.bounds;
  if (wish != Bounds::automatic || file.grid.empty()) return wish == Bounds::always;
  constexpr std::int64_t least_ratio = 50;
  std::int64_t values = 0;
  for (const auto& field : file.fields) values += field_bytes(file, field);
  if (!stream.settings.compression.none()) values /= 4;
  return least_ratio * bounds_bytes(mesh_content(file), file.sizes) <= values;
}

// The file as a whole: all points of every place.
FileDescription describe_whole(const Definition& definition, int stream_index, int file_index) {
  const auto& stream = definition.streams[stream_index];
  const auto& settings = stream.settings;
  const auto& times = stream.schedule.files()[file_index];
  FileDescription file;
  file.path = path_of(definition, stream, times, -1);
  for (const int index : stream.fields) {
    auto field = definition.fields[index];
    const auto levels = definition.levels_of(stream, field);
    if (field.levels > 1) {
      file.level_numbers.clear();
      for (const int level : levels) file.level_numbers.push_back(level + 1);
      field.levels = static_cast<int>(levels.size());
    }
    file.fields.push_back(field);
  }
  file.run_fields = definition.fields;
  file.sizes = definition.sizes;
  file.times_s = seconds_of(times.times);
  file.steps = times.steps;
  file.start_date = definition.settings.start_date;
  file.grid = definition.settings.grid;
  file.grid_uuid = definition.settings.grid_uuid;
  if (file.grid_uuid.empty() && !file.grid.empty()) file.grid_uuid = Grid::parse(file.grid).uuid();
  file.attributes = definition.settings.attributes;
  file.history = definition.history;
  file.compression = settings.compression;
  file.float64 = stream.words.precision == Precision::float64;
  file.chunked = stream.words.layout == Layout::chunked;
  file.bounds = has_bounds(stream, file);
  file.hints = parse_hints(definition.settings.hints);
  return file;
}

int member_of(const LaneDivision& lane, int writer) {
  return static_cast<int>(std::find(lane.team.begin(), lane.team.end(), writer) -
                          lane.team.begin());
}

}  // namespace

std::vector<std::string> names_of_partitions(const StreamSettings& stream) {
  std::vector<std::string> names;
  for (int partition = 0; partition < stream.partitions; ++partition)
    names.push_back(name_of_partition(stream, partition));
  return names;
}

FileDescription describe_file(const Definition& definition, const LaneDivision& lane, int stream,
                              int file_index, int writer) {
  auto file = describe_whole(definition, stream, file_index);
  file.writers = lane.own_files ? 1 : static_cast<int>(lane.team.size());
  for (const auto& slice : lane.slices) {
    if (!lane.own_files) {
      file.pieces.push_back(
          {slice.position, slice.first_level, slice.levels, slice.first_point, slice.points});
    } else if (slice.writer == writer) {
      file.pieces.push_back({slice.position, slice.first_level, slice.levels, 0, slice.points});
    }
  }
  if (!lane.own_files || lane.team.size() == 1) return file;
  file.path = part_path(definition, stream, file_index, member_of(lane, writer));
  file.global_sizes = file.sizes;
  for (const auto& slice : lane.slices) {
    if (slice.writer != writer) continue;
    const Place place = file.fields[slice.position].place;
    file.sizes[place] = slice.points;
    file.first_points[place] = slice.first_point;
  }
  return file;
}

std::string file_path(const Definition& definition, int stream, int file) {
  const auto& chosen = definition.streams[stream];
  return path_of(definition, chosen, chosen.schedule.files()[file], -1);
}

std::string part_path(const Definition& definition, int stream, int file, int part) {
  const auto& chosen = definition.streams[stream];
  return path_of(definition, chosen, chosen.schedule.files()[file], part);
}

std::string file_settings(const Definition& definition, const LaneDivision& lane, int stream,
                          int file_index) {
  const auto file = describe_whole(definition, stream, file_index);
  const auto& settings = definition.streams[stream].settings;
  auto text = fmt::format(
      "{} {} {} {} {} {} bits, {} {}, sizes {}, {} file{}", settings.container, settings.layout,
      file.compression.codec, settings.precision, file.start_date, file.compression.bits,
      level_name(file), fmt::join(file.level_numbers, " "), fmt::join(file.sizes, " "),
      lane.own_files ? lane.team.size() : 1, lane.own_files && lane.team.size() > 1 ? "s" : "");
  // Where the chunks of a time lie only the journal of direct writes tells.
  if (settings.container == "netcdf4" && file.in_chunks())
    text += fmt::format(", way {}", definition.settings.way);
  for (std::size_t i = 0; i < file.fields.size(); ++i) {
    const auto& field = file.fields[i];
    const int in_model = definition.fields[definition.streams[stream].fields[i]].levels;
    text += fmt::format(", {}[{} of {}]:{}:{}", field.name, field.levels, in_model,
                        value_type_names[file.type_of(field)], place_names[field.place]);
  }
  return text;
}

bool has_index(const Definition& definition, const LaneDivision& lane, int stream) {
  const auto& container = definition.streams[stream].settings.container;
  return lane.own_files && lane.team.size() > 1 &&
         find_container(container, definition.settings.way).tie != nullptr;
}

void write_index(const Definition& definition, const LaneDivision& lane, int stream, int file_index,
                 const FileDescription& written) {
  const auto& container = definition.streams[stream].settings.container;
  const auto& kind = find_container(container, definition.settings.way);
  const auto as_written = [&](FileDescription file) {
    file.times_s = written.times_s;
    file.steps = written.steps;
    file.history = written.history;
    file.bounds = written.bounds;
    return file;
  };
  std::vector<FileDescription> parts;
  for (const int writer : lane.team) {
    parts.push_back(as_written(describe_file(definition, lane, stream, file_index, writer)));
  }
  kind.tie(as_written(describe_whole(definition, stream, file_index)), parts);
}

}  // namespace thalweg
