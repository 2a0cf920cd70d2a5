// SPDX-License-Identifier: Apache-2.0
// Writes a mesh into a Zarr store slice by slice, one uncompressed shard per mesh variable.
#include "format/zarr/mesh.hpp"

#include <limits>
#include <map>
#include <memory>
#include <span>

#include "field/mesh_values.hpp"
#include "file/file_bytes.hpp"

namespace thalweg {

namespace {

bool is_wide(const Grid& grid) { return grid.edges() > std::numeric_limits<std::int32_t>::max(); }

int value_bytes(const Grid& grid, const MeshVariable& variable) {
  return variable.numbers != nullptr || is_wide(grid) ? 8 : 4;
}

/// Cuts the points; the `width` values of one point are taken for one value.
ShardGrid shards_of(const Grid& grid, const MeshVariable& variable) {
  return divide_into_shards(1, grid.size(variable.place), {},
                            variable.width * value_bytes(grid, variable));
}

ZarrArray mesh_array(const Grid& grid, const MeshVariable& variable, const MeshContent& content) {
  const ShardGrid shards = shards_of(grid, variable);
  ZarrArray array;
  array.name = variable.name;
  array.type = variable.numbers != nullptr ? "float64" : is_wide(grid) ? "int64" : "int32";
  array.shape = {shards.points};
  array.dimensions = {place_names[variable.place]};
  array.file_shape = {shards.shard_points};
  array.chunk_shape = {shards.chunk_points};
  if (variable.width > 1) {
    for (auto* shape : {&array.shape, &array.file_shape, &array.chunk_shape})
      shape->push_back(variable.width);
    array.dimensions.emplace_back(small_dimensions[variable.width]);
  }
  for (const TextAttribute& attribute : variable.attributes)
    array.attributes[attribute.name] = attribute.value;
  if (has_bounds(variable, content)) array.attributes["bounds"] = array.name + "_bnds";
  if (variable.indices != nullptr) array.attributes["start_index"] = 0;
  return array;
}

/// Values of a slice as bytes of the file.
void put_slice(ShardFile& file, const MeshSlice& slice, bool wide) {
  const auto put = [&](auto values) {
    file.put(0, 1, slice.first, slice.points, std::as_bytes(std::span(values)).data(),
             slice.points);
  };
  if (slice.variable->numbers != nullptr) return put(std::span(slice.numbers));
  if (wide) return put(std::span(slice.indices));
  put(std::vector<std::int32_t>(slice.indices.begin(), slice.indices.end()));
}

}  // namespace

std::vector<ZarrArray> mesh_arrays(const Grid& grid, const MeshContent& content) {
  // UGRID: the value of the mesh variable has no meaning.
  std::vector<ZarrArray> arrays{{"mesh", "int32", {}, {}, {}, {}, {}, {}}};
  arrays[0].attributes = {{"topology_dimension", 2}};
  for (const TextAttribute& attribute : topology_attributes(content))
    arrays[0].attributes[attribute.name] = attribute.value;
  for (const MeshVariable& variable : mesh_variables())
    if (is_wanted(variable, content)) arrays.push_back(mesh_array(grid, variable, content));
  return arrays;
}

void write_mesh_arrays(const std::string& store, const Grid& grid, const MeshContent& content) {
  const std::int32_t nothing = 0;
  replace_file(store + "/mesh/c", std::as_bytes(std::span(&nothing, 1)));
  std::vector<const MeshVariable*> variables;
  std::map<const MeshVariable*, std::unique_ptr<ShardFile>> files;
  for (const MeshVariable& variable : mesh_variables()) {
    if (!is_wanted(variable, content)) continue;
    variables.push_back(&variable);
    const ShardGrid shards = shards_of(grid, variable);
    const std::string base = store + "/" + variable.name + "/c/0";
    const std::vector<std::string> missing(variable.width > 1 ? 1 : 0, base);
    const std::string path = variable.width > 1 ? base + "/0" : base;
    // A store that goes on has them already: a kill must leave those, or these.
    files[&variable] = std::make_unique<ShardFile>(
        path, missing, shards, 1, shards.points,
        ChunkCodec{Compression{}, variable.width * value_bytes(grid, variable)}, path + ".part");
  }
  const GridPart whole{{0, 0, 0}, {grid.cells(), grid.edges(), grid.vertices()}};
  const int halo_depth = halo_depth_of(content);
  const auto put = [&](const MeshSlice& slice) {
    put_slice(*files.at(slice.variable), slice, is_wide(grid));
  };
  if (const auto kept = kept_mesh_values(grid, whole, variables, halo_depth)) {
    for (const MeshSlice& slice : *kept) put(slice);
  } else {
    compute_mesh_values(grid, whole, variables, halo_depth, put);
  }
  for (const auto& [variable, file] : files) file->finish();
}

}  // namespace thalweg
