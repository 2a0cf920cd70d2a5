// SPDX-License-Identifier: Apache-2.0
// Shards of the Zarr container: how a field is cut into them, and one shard as a file.
//
//   NAME.zarr/ta/c/TIME/LEVELS/POINTS   = chunk, chunk, ... , index, CRC-32C of the index
//   index[level of shard][chunk of level] = offset, size in bytes (little-endian, 64 bits each)
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "format/container.hpp"

namespace thalweg {

/// A regular division of one time of a field, such that no shard belongs to two pieces. The last
/// shard and the last chunk of a level may reach over the end of the field.
struct ShardGrid {
  int levels = 1;                 ///< of the field
  std::int64_t points = 0;        ///< of the field
  int shard_levels = 1;           ///< of a shard
  std::int64_t shard_points = 0;  ///< of a shard: a multiple of chunk_points
  std::int64_t chunk_points = 0;  ///< of a chunk, which is one level deep
  std::int64_t chunks() const { return shard_points / chunk_points; }  ///< of one level of a shard
};

/// `pieces` are those of one field; {} = one piece. Chunks hold at most 4 MiB.
ShardGrid divide_into_shards(int levels, std::int64_t points, std::span<const Piece> pieces,
                             std::size_t value_bytes);

/// How the values of a chunk become bytes. Compressed chunks are Blosc frames around one shuffled
/// zlib stream or zstd frame: of the codecs that every Zarr reader knows the only one that
/// shuffles.
struct ChunkCodec {
  Compression compression;
  int value_bytes = 4;
  void encode(std::span<const std::byte> values, PageBytes& into) const;  ///< appends
};

/// Does a finished shard of such a grid lie there to its end? Its index agrees with its checksum.
bool is_whole_shard(const std::string& path, const ShardGrid& grid);

/// One shard while its owner fills it. Without compression every value has its place, and goes
/// there at once; compressed chunks follow each other as they become whole.
class ShardFile {
 public:
  /// `levels` and `points`: what the field has inside this shard. `missing`: the directories that
  /// may have to be made for the file, outermost first. `aside`: its name until it is whole.
  ShardFile(std::string path, std::span<const std::string> missing, const ShardGrid& grid,
            int levels, std::int64_t points, ChunkCodec codec, std::string aside = "");
  ShardFile(const ShardFile&) = delete;
  ShardFile& operator=(const ShardFile&) = delete;
  ~ShardFile();  ///< an unfinished shard has no index

  /// Some points of some levels of the shard: values[level * stride + point], in values.
  void put(int first_level, int levels, std::int64_t first_point, std::int64_t points,
           const std::byte* values, std::int64_t stride);
  bool complete() const { return values_left_ == 0; }
  void finish();  ///< index and end of the file

 private:
  void put_encoded(int level, std::int64_t first_point, std::int64_t points,
                   const std::byte* values);
  void add_chunk(std::size_t chunk, std::span<const std::byte> values);
  void flush();
  std::vector<std::byte> index() const;
  void write(const std::byte* from, std::size_t size, std::int64_t offset);

  std::string path_, aside_;
  ShardGrid grid_;
  ChunkCodec codec_;
  int file_ = -1;
  int levels_;
  std::int64_t points_, values_left_;
  // Compressed shards only:
  struct Place {
    std::uint64_t offset = ~0ULL, size = ~0ULL;  ///< all bits set = no such chunk
  };
  struct Partial {
    std::vector<std::byte> values;
    std::int64_t left;
  };
  std::vector<Place> places_;               // [level * chunks + chunk]
  std::map<std::size_t, Partial> partial_;  // chunks that came in part
  PageBytes waiting_;                       // encoded, not yet written
  std::int64_t written_ = 0;                // bytes
};

}  // namespace thalweg
