// SPDX-License-Identifier: Apache-2.0
// The descriptions inside a Zarr store: zarr.json of the group and of every array (Zarr 3.0).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "format/attributes.hpp"
#include "format/container.hpp"
#include "format/zarr/shard.hpp"

namespace thalweg {

using Json = nlohmann::ordered_json;

/// One array: shape, names of its dimensions, and how it is cut into files.
struct ZarrArray {
  std::string name;
  std::string type;  ///< "float64", "float32", "int64", "int32"
  std::vector<std::int64_t> shape;
  std::vector<std::string> dimensions;
  std::vector<std::int64_t> file_shape;   ///< values of one file: a shard, or else a chunk
  std::vector<std::int64_t> chunk_shape;  ///< inside a shard; {} = not sharded
  ChunkCodec codec;                       ///< of the chunks of a shard
  Json attributes = Json::object();
  Json missing = 0;  ///< what readers get where no chunk is, of integers (reals: NaN)
};

/// The contents of the array's zarr.json.
Json array_json(const ZarrArray& array);

/// Array of field number `field`, cut as `grid` says.
ZarrArray field_array(const FileDescription& file, std::size_t field, const ShardGrid& grid);
ZarrArray time_array(const FileDescription& file);
ZarrArray level_array(const FileDescription& file);  ///< only where a field has levels
ZarrArray scalar_array(const ScalarCoordinate& coordinate);
bool has_levels(const FileDescription& file);

/// Writes NAME/zarr.json, which carries the descriptions of all arrays again ("consolidated"), so
/// that readers open a store with one look. Throws Error(file_system).
void write_group(const std::string& store, const FileDescription& file, const std::string& history,
                 std::span<const ZarrArray> arrays);
/// The array's zarr.json, whose directory is there. Throws Error(file_system).
void write_array_json(const std::string& store, const ZarrArray& array);
/// Makes the array's directories and its zarr.json. Throws Error(file_system).
void create_array(const std::string& store, const ZarrArray& array);

}  // namespace thalweg
