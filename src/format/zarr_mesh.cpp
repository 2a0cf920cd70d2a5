// SPDX-License-Identifier: Apache-2.0
// Writes a mesh into a Zarr store slice by slice, one uncompressed shard per mesh variable.
#include "format/zarr_mesh.hpp"

#include <limits>
#include <memory>

#include "format/mesh_variables.hpp"
#include "thalweg/decomposition.hpp"

namespace thalweg {

namespace {

constexpr std::int64_t slice_cells = 65'536;  // about 60 MB of mesh while a slice is written

bool is_wide(const Grid& grid) { return grid.edges() > std::numeric_limits<std::int32_t>::max(); }

int value_bytes(const Grid& grid, const MeshVariable& variable) {
  return variable.numbers != nullptr || is_wide(grid) ? 8 : 4;
}

/// Cuts the points; the `width` values of one point are taken for one value.
ShardGrid shards_of(const Grid& grid, const MeshVariable& variable) {
  return divide_into_shards(1, grid.size(variable.place), {},
                            static_cast<std::size_t>(variable.width * value_bytes(grid, variable)));
}

ZarrArray mesh_array(const Grid& grid, const MeshVariable& variable, const MeshContent& content) {
  const ShardGrid shards = shards_of(grid, variable);
  ZarrArray array;
  array.name = variable.name;
  array.type = variable.numbers != nullptr ? "float64" : is_wide(grid) ? "int64" : "int32";
  array.shape = {shards.points};
  array.dimensions = {place_names[static_cast<std::size_t>(variable.place)]};
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

/// Values of the points that the slice owns, as bytes of the file.
std::vector<std::byte> slice_values(const MeshVariable& variable, const Mesh& mesh, bool wide) {
  const auto points = mesh.part(variable.place).owned;
  const auto size = static_cast<std::size_t>(points) * static_cast<std::size_t>(variable.width);
  std::vector<double> numbers(variable.numbers != nullptr ? size : 0);
  std::vector<std::int64_t> indices(variable.numbers != nullptr ? 0 : size);
  for (int point = 0; point < points; ++point) {
    const auto first = static_cast<std::size_t>(point) * static_cast<std::size_t>(variable.width);
    if (variable.numbers != nullptr)
      variable.numbers(mesh, point, &numbers[first]);
    else
      variable.indices(mesh, point, &indices[first]);
  }
  const std::vector<std::int32_t> narrow(indices.begin(), indices.end());
  const auto bytes = variable.numbers != nullptr ? std::as_bytes(std::span(numbers))
                     : wide                      ? std::as_bytes(std::span(indices))
                                                 : std::as_bytes(std::span(narrow));
  return {bytes.begin(), bytes.end()};
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
  write_file(store + "/mesh/c", std::as_bytes(std::span(&nothing, 1)));
  struct Open {
    const MeshVariable* variable;
    std::unique_ptr<ShardFile> file;
  };
  std::vector<Open> open;
  for (const MeshVariable& variable : mesh_variables()) {
    if (!is_wanted(variable, content)) continue;
    const ShardGrid shards = shards_of(grid, variable);
    const std::string base = store + "/" + variable.name + "/c/0";
    const std::vector<std::string> missing(variable.width > 1 ? 1 : 0, base);
    open.push_back(
        {&variable, std::make_unique<ShardFile>(
                        variable.width > 1 ? base + "/0" : base, missing, shards, 1, shards.points,
                        ChunkCodec{"none", 1, variable.width * value_bytes(grid, variable)})});
  }
  const auto slices = static_cast<int>((grid.cells() + slice_cells - 1) / slice_cells);
  const Decomposition along_curve(grid, slices, "curve");
  const int halo_depth = content.bounds || content.full ? 1 : 0;  // hexagons need their cells
  for (int slice = 0; slice < slices; ++slice) {
    const Mesh mesh = build_mesh(along_curve, slice, halo_depth);
    for (const auto& [variable, file] : open) {
      const PlacePart& part = mesh.part(variable->place);
      if (part.owned == 0) continue;
      const auto values = slice_values(*variable, mesh, is_wide(grid));
      file->put(0, 1, part.global[0], part.owned, values.data(), part.owned);
    }
  }
  for (const auto& one : open) one.file->finish();
}

}  // namespace thalweg
