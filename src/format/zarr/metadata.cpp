// SPDX-License-Identifier: Apache-2.0
// Describes a store by CF-1.11 and UGRID conventions, in the words of Zarr 3.0.
#include "format/zarr/metadata.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "codec/codec.hpp"
#include "file/file_bytes.hpp"
#include "file/refusal.hpp"
#include "format/attributes.hpp"

namespace thalweg {

namespace {

Json bytes_codec() { return {{"name", "bytes"}, {"configuration", {{"endian", "little"}}}}; }

/// Blosc knows levels 0 to 9 in words; the level that compressed a chunk is no matter to readers.
Json blosc_codec(const ChunkCodec& codec) {
  return {{"name", "blosc"},
          {"configuration",
           {{"typesize", codec.value_bytes},
            {"cname", find_codec(codec.compression.codec).blosc_name},
            {"clevel", std::clamp(codec.compression.level, 1, 9)},
            {"shuffle", "shuffle"},
            {"blocksize", 0}}}};
}

Json sharding_codec(const ZarrArray& array) {
  Json inner = Json::array({bytes_codec()});
  if (!array.codec.compression.none()) inner.push_back(blosc_codec(array.codec));
  return {{"name", "sharding_indexed"},
          {"configuration",
           {{"chunk_shape", array.chunk_shape},
            {"codecs", inner},
            {"index_codecs", Json::array({bytes_codec(), Json{{"name", "crc32c"}}})},
            {"index_location", "end"}}}};
}

void write_text(const std::string& path, const std::string& text) {
  replace_file(path, std::as_bytes(std::span(text)));
}

void make_new_directory(const std::string& path) {
  if (mkdir(path.c_str(), 0777) != 0) refuse_file("create", path, errno);
}

}  // namespace

Json array_json(const ZarrArray& array) {
  Json json{{"zarr_format", 3}, {"node_type", "array"}};
  json["shape"] = array.shape;
  json["data_type"] = array.type;
  json["chunk_grid"] = {{"name", "regular"},
                        {"configuration", {{"chunk_shape", array.file_shape}}}};
  json["chunk_key_encoding"] = {{"name", "default"}, {"configuration", {{"separator", "/"}}}};
  json["fill_value"] = array.type.starts_with("float") ? Json("NaN") : array.missing;
  json["codecs"] = Json::array({array.chunk_shape.empty() ? bytes_codec() : sharding_codec(array)});
  json["attributes"] = array.attributes;
  json["dimension_names"] = array.dimensions;
  json["storage_transformers"] = Json::array();
  return json;
}

ZarrArray field_array(const FileDescription& file, std::size_t field, const ShardGrid& grid) {
  const FieldInfo& info = file.fields[field];
  ZarrArray array;
  array.name = info.name;
  const auto type = file.type_of(info);
  array.type = value_type_names[type];
  if (is_integer(type)) with_missing_value(type, [&](auto value) { array.missing = value; });
  array.codec = {file.compression, static_cast<int>(bytes_of(type))};
  array.shape = {static_cast<std::int64_t>(file.times_s.size()), grid.points};
  array.dimensions = {"time", place_names[info.place]};
  array.file_shape = {1, grid.shard_points};
  array.chunk_shape = {1, grid.chunk_points};
  if (info.levels > 1) {
    array.shape.insert(array.shape.begin() + 1, info.levels);
    array.dimensions.insert(array.dimensions.begin() + 1, level_name(file));
    array.file_shape.insert(array.file_shape.begin() + 1, grid.shard_levels);
    array.chunk_shape.insert(array.chunk_shape.begin() + 1, 1);
  }
  for (const auto& [name, value] : field_attributes(file, info)) array.attributes[name] = value;
  return array;
}

ZarrArray time_array(const FileDescription& file) {
  auto since = file.start_date;  // 2000-01-01T00:00:00Z -> 2000-01-01 00:00:00
  std::replace(since.begin(), since.end(), 'T', ' ');
  if (!since.empty() && since.back() == 'Z') since.pop_back();
  const auto times = static_cast<std::int64_t>(file.times_s.size());
  ZarrArray array{"time", "float64", {times}, {"time"}, {times}, {}, {}, {}};
  array.attributes = {{"standard_name", "time"},
                      {"long_name", "valid time"},
                      {"units", "seconds since " + since},
                      {"calendar", "proleptic_gregorian"},
                      {"units_metadata", "leap_seconds: none"},
                      {"axis", "T"}};
  return array;
}

ZarrArray level_array(const FileDescription& file) {
  const auto levels = static_cast<std::int64_t>(file.level_numbers.size());
  const auto name = level_name(file);
  ZarrArray array{name, "int32", {levels}, {name}, {levels}, {}, {}, {}};
  for (const auto& [key, value] : level_attributes(file)) array.attributes[key] = value;
  return array;
}

ZarrArray scalar_array(const ScalarCoordinate& coordinate) {
  const char* type = coordinate.is_number ? "int32" : "float64";
  ZarrArray array{coordinate.name, type, {}, {}, {}, {}, {}, {}};
  for (const auto& [key, value] : coordinate.attributes) array.attributes[key] = value;
  return array;
}

bool has_levels(const FileDescription& file) {
  return std::any_of(file.fields.begin(), file.fields.end(),
                     [](const FieldInfo& field) { return field.levels > 1; });
}

void write_group(const std::string& store, const FileDescription& file, const std::string& history,
                 std::span<const ZarrArray> arrays) {
  Json attributes = Json::object();
  for (const auto& [name, text] : global_attributes(file, history)) attributes[name] = text;
  Json members = Json::object();
  for (const ZarrArray& array : arrays) members[array.name] = array_json(array);
  const Json json{{"zarr_format", 3},
                  {"node_type", "group"},
                  {"attributes", attributes},
                  {"consolidated_metadata",
                   {{"kind", "inline"}, {"must_understand", false}, {"metadata", members}}}};
  write_text(store + "/zarr.json", json.dump(2) + "\n");
}

void create_array(const std::string& store, const ZarrArray& array) {
  const std::string directory = store + "/" + array.name;
  make_new_directory(directory);
  if (!array.shape.empty()) make_new_directory(directory + "/c");  // a number alone is the file "c"
  write_array_json(store, array);
}

void write_array_json(const std::string& store, const ZarrArray& array) {
  write_text(store + "/" + array.name + "/zarr.json", array_json(array).dump(2) + "\n");
}

}  // namespace thalweg
