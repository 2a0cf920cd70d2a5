// SPDX-License-Identifier: Apache-2.0
// The raw container: values[field][time][level][point], little-endian, nothing between them, and
// beside the file PATH a description PATH.json:
//   {"format": "thalweg-raw-1", "byte_order": "little", "type": "float32" | "float64",
//    "title", "source", "history", "grid", "grid_uuid": texts,
//    "time": {"units": "seconds since ...", "values": [times], "dropped": [positions in values]},
//    "level": [1-based model levels of fields with more than one level],
//    "missing_value": value in dropped times,
//    "places": {"cell": {"size": points here, "first": global index of the first,
//                        "global_size": points of the grid}, "edge": ..., "vertex": ...},
//    "fields": [{"name", "standard_name", "long_name", "units", "place": texts,
//                "shape": [times, levels, points], "offset": bytes}]}
#include <netcdf.h>

#include <nlohmann/json.hpp>

#include "format/container_list.hpp"
#include "format/fixed_layout.hpp"
#include "format/mpi_io.hpp"
#include "format/netcdf_metadata.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

namespace {

using nlohmann::ordered_json;

std::string json_path(const FileDescription& description) { return description.path + ".json"; }

ordered_json places(const FileDescription& description) {
  ordered_json all;
  for (std::size_t place = 0; place < place_names.size(); ++place) {
    const auto size = description.sizes[place];
    const auto& first = description.first_points;
    const auto& global = description.global_sizes;
    all[place_names[place]] = {{"size", size},
                               {"first", first.empty() ? 0 : first[place]},
                               {"global_size", global.empty() ? size : global[place]}};
  }
  return all;
}

ordered_json fields(const FileDescription& description, std::span<const FieldBytes> layout) {
  auto all = ordered_json::array();
  for (std::size_t i = 0; i < description.fields.size(); ++i) {
    const auto& info = description.fields[i];
    const auto place = static_cast<std::size_t>(info.place);
    all.push_back({{"name", info.name},
                   {"standard_name", info.standard_name},
                   {"long_name", info.long_name},
                   {"units", info.units},
                   {"place", place_names[place]},
                   {"shape", {description.times_s.size(), info.levels, description.sizes[place]}},
                   {"offset", layout[i].offset}});
  }
  return all;
}

/// Writes the description under its aside name.
void describe(const FileDescription& description, std::span<const FieldBytes> layout,
              const std::vector<int>& dropped) {
  ordered_json json{{"format", "thalweg-raw-1"},
                    {"byte_order", "little"},
                    {"type", description.float64 ? "float64" : "float32"},
                    {"title", description.title},
                    {"source", description.source},
                    {"history", history_with_dropped(description, dropped)},
                    {"grid", description.grid},
                    {"grid_uuid", description.grid_uuid}};
  json["time"] = {{"units", "seconds since " + description.start_date},
                  {"values", description.times_s},
                  {"dropped", dropped}};
  json["level"] = description.level_numbers;
  if (description.may_drop) {
    json["missing_value"] =
        description.float64 ? NC_FILL_DOUBLE : static_cast<double>(NC_FILL_FLOAT);
  }
  json["places"] = places(description);
  json["fields"] = fields(description, layout);
  const auto text = json.dump(1) + "\n";
  AsideFile file(json_path(description), AsideFile::Open::create);
  file.write(text.data(), text.size(), 0);
  file.close();
}

/// The description appears last: where it is, the values are whole.
void complete(const FileDescription& description, std::span<const FieldBytes> layout,
              const std::vector<int>& dropped) {
  if (!dropped.empty()) describe(description, layout, dropped);
  rename_to_final(description.path);
  rename_to_final(json_path(description));
}

constexpr FixedFormat format{"raw", false, complete};

}  // namespace

std::unique_ptr<Container> create_raw(const FileDescription& description, MPI_Comm) {
  std::vector<std::int64_t> offsets;
  std::int64_t end = 0;
  for (const auto& info : description.fields) {
    offsets.push_back(end);
    end += field_bytes(description, info);
  }
  auto layout = dense_layout(description, offsets);
  prepare_striping(description.path + ".part", description.hints);
  AsideFile(description.path, AsideFile::Open::create).close();
  describe(description, layout, {});
  return open_fixed_layout(format, description, std::move(layout));
}

std::unique_ptr<Container> join_raw(const FileDescription& description, const std::string& layout,
                                    MPI_Comm) {
  return join_fixed_layout(format, description, layout);
}

void check_raw(const FileDescription& description) {
  if (description.compression == "none" && !description.chunked) return;
  throw Error(Blame::user,
              "[[output]]: container 'raw' has neither chunks nor compression; use container = "
              "\"netcdf4\" or \"zarr\", or layout = \"contiguous\" and compression = \"none\"");
}

}  // namespace thalweg
