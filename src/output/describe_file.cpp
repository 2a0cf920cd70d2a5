// SPDX-License-Identifier: Apache-2.0
// Names of files: STREAM[_pPofN]_DATE[.WRITER].SUFFIX.
#include "output/describe_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "format/mpi_io.hpp"
#include "format/virtual_dataset.hpp"
#include "output/dates.hpp"

namespace thalweg {

namespace {

std::string path_of(const Definition& definition, const Stream& stream, const FileTimes& times,
                    int member) {
  const auto& settings = stream.settings;
  const auto part = settings.partitions == 1
                        ? std::string()
                        : fmt::format("_p{}of{}", times.partition + 1, settings.partitions);
  return fmt::format("{}/{}{}_{}{}{}", definition.settings.directory, settings.name, part,
                     short_date_after(definition.settings.start_date, times.times_s.front()),
                     member < 0 ? "" : fmt::format(".{:03}", member),
                     find_container(settings.container, definition.settings.way).suffix);
}

// The file as a whole: all points of every place.
FileDescription describe_whole(const Definition& definition, int stream_index, int file_index) {
  const auto& stream = definition.streams[static_cast<std::size_t>(stream_index)];
  const auto& settings = stream.settings;
  const auto& times = stream.schedule.files()[static_cast<std::size_t>(file_index)];
  FileDescription file;
  file.path = path_of(definition, stream, times, -1);
  for (const int index : stream.fields) {
    auto field = definition.fields[static_cast<std::size_t>(index)];
    const auto levels = definition.levels_of(stream, field);
    if (field.levels > 1) {
      file.level_numbers.clear();
      for (const int level : levels) file.level_numbers.push_back(level + 1);
      field.levels = static_cast<int>(levels.size());
    }
    file.fields.push_back(field);
  }
  file.sizes.assign(definition.sizes.begin(), definition.sizes.end());
  file.times_s = times.times_s;
  file.steps = times.steps;
  file.start_date = definition.settings.start_date;
  file.grid = definition.settings.grid;
  file.grid_uuid = definition.settings.grid_uuid;
  if (file.grid_uuid.empty() && !file.grid.empty()) file.grid_uuid = Grid::parse(file.grid).uuid();
  file.title = definition.settings.title;
  file.source = definition.settings.source;
  file.history = fmt::format("{}: written by Thalweg, stream '{}'", definition.settings.start_date,
                             settings.name);
  file.compression = settings.compression;
  file.compression_level = settings.compression_level;
  file.bits = settings.bits;
  file.float64 = settings.precision == "float64";
  file.chunked = settings.layout == "chunked";
  file.may_drop = definition.settings.backpressure == "thin";
  file.hints = parse_hints(definition.settings.hints);
  return file;
}

int member_of(const LaneDivision& lane, int writer) {
  return static_cast<int>(std::find(lane.team.begin(), lane.team.end(), writer) -
                          lane.team.begin());
}

}  // namespace

FileDescription describe_file(const Definition& definition, const LaneDivision& lane, int stream,
                              int file_index, int writer) {
  auto file = describe_whole(definition, stream, file_index);
  for (const auto& slice : lane.slices) {
    if (!lane.own_files) {
      file.pieces.push_back(
          {slice.position, slice.first_level, slice.levels, slice.first_point, slice.points});
    } else if (slice.writer == writer) {
      file.pieces.push_back({slice.position, slice.first_level, slice.levels, 0, slice.points});
    }
  }
  if (!lane.own_files || lane.team.size() == 1) return file;
  const auto& chosen = definition.streams[static_cast<std::size_t>(stream)];
  file.path =
      path_of(definition, chosen, chosen.schedule.files()[static_cast<std::size_t>(file_index)],
              member_of(lane, writer));
  file.global_sizes = file.sizes;
  file.first_points.assign(3, 0);
  for (const auto& slice : lane.slices) {
    if (slice.writer != writer) continue;
    const auto place =
        static_cast<std::size_t>(file.fields[static_cast<std::size_t>(slice.position)].place);
    file.sizes[place] = slice.points;
    file.first_points[place] = slice.first_point;
  }
  return file;
}

void write_index(const Definition& definition, const LaneDivision& lane, int stream,
                 int file_index) {
  const auto& settings = definition.streams[static_cast<std::size_t>(stream)].settings;
  if (settings.container != "netcdf4") return;  // only HDF5 can show several files as one
  std::vector<FileDescription> parts;
  for (const int writer : lane.team) {
    parts.push_back(describe_file(definition, lane, stream, file_index, writer));
  }
  write_virtual_dataset(describe_whole(definition, stream, file_index), parts);
}

}  // namespace thalweg
