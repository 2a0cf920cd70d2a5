// SPDX-License-Identifier: Apache-2.0
// The raw container: values[field][time][level][point], little-endian, nothing between them, and
// beside the file PATH a description PATH.json:
//   {"format": "thalweg-raw-1", "byte_order": "little",
//    "attributes": {"title", ...: texts}, "history", "grid", "grid_uuid": texts,
//    "time": {"units": "seconds since ...", "values": [times]},
//    "level": [1-based model levels of fields that have some], or "half_level",
//    "places": {"cell": {"size": points here, "first": global index of the first,
//                        "global_size": points of the grid}, "edge": ..., "vertex": ...},
//    "fields": [{"name", "standard_name", "long_name", "units", "place": texts,
//                "type": "float32" | "float64" | "int32" | "int64",
//                "height_m": above the ground, of fields that have one,
//                "level" or "half_level": the one that is here, of fields with several,
//                "shape": [times, levels, points], "offset": bytes}]}
#include <fcntl.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>

#include "file/file_bytes.hpp"
#include "file/mpi_io.hpp"
#include "format/attributes.hpp"
#include "format/container.hpp"
#include "format/fixed_layout.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

namespace {

using nlohmann::ordered_json;

std::string json_path(const FileDescription& description) { return description.path + ".json"; }

std::int64_t time_bytes(const FileDescription& description, const FieldInfo& info) {
  return info.levels * description.sizes[info.place] *
         static_cast<std::int64_t>(description.value_bytes(info));
}

ordered_json places(const FileDescription& description) {
  ordered_json all;
  for (std::size_t place = 0; place < place_names.size(); ++place) {
    const auto size = description.sizes[place];
    all[place_names[place]] = {
        {"size", size},
        {"first", description.first_points[place]},
        {"global_size", description.global_sizes ? (*description.global_sizes)[place] : size}};
  }
  return all;
}

ordered_json fields(const FileDescription& description, std::span<const FieldBytes> layout) {
  auto all = ordered_json::array();
  for (std::size_t i = 0; i < description.fields.size(); ++i) {
    const auto& info = description.fields[i];
    const Place place = info.place;
    all.push_back({{"name", info.name},
                   {"standard_name", info.standard_name},
                   {"long_name", info.long_name},
                   {"units", info.units},
                   {"place", place_names[place]},
                   {"type", value_type_names[description.type_of(info)]},
                   {"shape", {description.times_s.size(), info.levels, description.sizes[place]}},
                   {"offset", layout[i].offset}});
    if (info.height_m > 0.0) all.back()["height_m"] = info.height_m;
    const auto scalar = scalar_coordinate(description, info);
    if (scalar && scalar->is_number) all.back()[scalar->name] = static_cast<int>(scalar->value);
  }
  return all;
}

/// Writes the description under its aside name.
void describe(const FileDescription& description, std::span<const FieldBytes> layout) {
  ordered_json json{{"format", "thalweg-raw-1"},
                    {"byte_order", "little"},
                    {"attributes", description.attributes},
                    {"history", description.history},
                    {"grid", description.grid},
                    {"grid_uuid", description.grid_uuid}};
  json["time"] = {{"units", "seconds since " + description.start_date},
                  {"values", description.times_s}};
  json[level_name(description)] = description.level_numbers;
  json["places"] = places(description);
  json["fields"] = fields(description, layout);
  const auto text = json.dump(1) + "\n";
  AsideFile file(json_path(description), AsideFile::Open::create);
  file.write(text.data(), text.size(), 0);
  file.close();
}

FixedLayout layout_of(const FileDescription& description, std::size_t times) {
  std::vector<std::int64_t> offsets;
  std::int64_t end = 0;
  for (const auto& info : description.fields) {
    offsets.push_back(end);
    end += static_cast<std::int64_t>(times) * time_bytes(description, info);
  }
  return {dense_layout(description, offsets), times};
}

FixedLayout create(const FileDescription& description) {
  prepare_striping(description.path + ".part", description.hints);
  AsideFile(description.path, AsideFile::Open::create).close();
  return layout_of(description, description.times_s.size());
}

/// Times that are described, in a file that was complete; none if there is no whole description.
std::int64_t described_times(const FileDescription& description) {
  const auto json =
      ordered_json::parse(text_of(json_path(description)).value_or(""), nullptr, false);
  const ordered_json::json_pointer values("/time/values");
  return json.contains(values) ? std::ssize(json[values]) : 0;
}

/// Nothing but values: the length says how many times there are.
FixedLayout look(const FileDescription& description, const std::string& path) {
  std::int64_t bytes = 0;
  for (const auto& info : description.fields) bytes += time_bytes(description, info);
  const auto size = FileBytes(path, O_RDONLY).size();
  const auto times = bytes == 0 ? 0 : (size + bytes - 1) / bytes;
  require_size(path, std::max(times, described_times(description)) * bytes);
  return layout_of(description, times);
}

/// The description appears last: where it is, the values are whole.
void complete(const FileDescription& description) {
  describe(description, layout_of(description, description.times_s.size()).fields);
  rename_to_final(description.path);
  rename_to_final(json_path(description));
}

constexpr FixedFormat format{"raw", false, create, look, complete};

}  // namespace

void check_kept_raw(const FileDescription& description) {
  check_kept_fixed_layout(format, description);
}

std::unique_ptr<Container> create_raw(const FileDescription& description, MPI_Comm) {
  if (!description.kept.empty()) {
    check_kept_raw(description);
    std::error_code ignored;
    std::filesystem::remove(json_path(description), ignored);  // of a file that was complete
  }
  return open_fixed_layout(format, description);
}

std::unique_ptr<Container> join_raw(const FileDescription& description, const std::string& layout,
                                    MPI_Comm) {
  return join_fixed_layout(format, description, layout);
}

void check_raw(const FileDescription& description) {
  if (!description.chunked) return;
  throw Error(Blame::user,
              "[[output]]: container 'raw' has no chunks; use container = \"netcdf4\" or \"zarr\", "
              "or layout = \"contiguous\"");
}

}  // namespace thalweg
