// SPDX-License-Identifier: Apache-2.0
// Cuts fields into shards, and writes shards: chunks, index, checksum.
#include "format/zarr/shard.hpp"

#include <fcntl.h>
#include <isa-l/crc.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <numeric>

#include "base/file_size_signal.hpp"
#include "codec/codec.hpp"
#include "file/aside_file.hpp"
#include "file/checksum_log.hpp"
#include "file/file_bytes.hpp"
#include "file/refusal.hpp"

namespace thalweg {

namespace {

constexpr std::int64_t largest_chunk_bytes = std::int64_t{4} << 20;
constexpr std::size_t flush_bytes = std::size_t{8} << 20;  // one large write of compressed chunks

template <class Number>
void append_little_endian(std::vector<std::byte>& into, Number number) {
  for (std::size_t i = 0; i < sizeof(Number); ++i)
    into.push_back(static_cast<std::byte>(number >> (8 * i)));
}

template <class Number>
void store_little_endian(std::byte* into, Number number) {
  for (std::size_t i = 0; i < sizeof(Number); ++i)
    into[i] = static_cast<std::byte>(number >> (8 * i));
}

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

ShardGrid divide_into_shards(int levels, std::int64_t points, std::span<const Piece> pieces,
                             std::size_t value_bytes) {
  // Every piece begins at a multiple of the shard, and so ends where the next begins.
  int level_step = 0;
  std::int64_t point_step = 0;
  for (const Piece& piece : pieces) {
    level_step = std::gcd(level_step, piece.first_level);
    point_step = std::gcd(point_step, piece.first_point);
  }
  ShardGrid grid{levels, points, level_step == 0 ? levels : level_step, 0, 0};
  const std::int64_t in_a_chunk = largest_chunk_bytes / static_cast<std::int64_t>(value_bytes);
  const std::int64_t wanted = point_step == 0 ? std::max<std::int64_t>(points, 1) : point_step;
  std::int64_t chunks = divide_up(wanted, in_a_chunk);
  if (point_step != 0)
    while (point_step % chunks != 0) ++chunks;  // shards side by side must meet without a gap
  grid.chunk_points = divide_up(wanted, chunks);
  grid.shard_points = grid.chunk_points * chunks;
  return grid;
}

void ChunkCodec::encode(std::span<const std::byte> values, PageBytes& into) const {
  if (compression.none()) {
    into.insert(into.end(), values.begin(), values.end());
    return;
  }
  // The frame of c-blosc 1 (its README_CHUNK_FORMAT.rst) with one block of one stream:
  // version 2, version of the inner format 1, flags, size of a value; bytes of the values, of a
  // block, of the frame; start of the block; bytes of the stream; the stream.
  constexpr unsigned shuffled = 0x01, one_stream = 0x10;
  constexpr std::size_t header_bytes = 16, stream_start = header_bytes + 8;
  const auto& codec = find_codec(compression.codec);
  const unsigned format = codec.blosc_format << 5U;
  const std::size_t start = into.size();
  into.resize(start + stream_start);
  codec.compress_values(values, value_bytes, compression.level, into);
  std::size_t stream = into.size() - start - stream_start;
  if (stream >= values.size()) {  // a stream as long as the block is the shuffled block itself
    into.resize(start + stream_start + values.size());
    shuffle(values, value_bytes, std::span(into).subspan(start + stream_start));
    stream = values.size();
  }
  std::byte* header = into.data() + start;
  header[0] = std::byte{2};
  header[1] = std::byte{1};
  header[2] = static_cast<std::byte>(shuffled | one_stream | format);
  header[3] = static_cast<std::byte>(value_bytes);
  store_little_endian(header + 4, static_cast<std::uint32_t>(values.size()));
  store_little_endian(header + 8, static_cast<std::uint32_t>(values.size()));
  store_little_endian(header + 12, static_cast<std::uint32_t>(stream_start + stream));
  store_little_endian(header + 16, static_cast<std::uint32_t>(header_bytes + 4));
  store_little_endian(header + 20, static_cast<std::uint32_t>(stream));
}

namespace {

std::uint32_t crc32c(std::span<const std::byte> bytes) {  // iSCSI's checksum is CRC-32C
  std::vector<std::byte> copy(bytes.begin(), bytes.end());
  auto* first = reinterpret_cast<unsigned char*>(copy.data());
  return ~crc32_iscsi(first, static_cast<int>(copy.size()), ~0U);
}

}  // namespace

bool is_whole_shard(const std::string& path, const ShardGrid& grid) {
  constexpr std::int64_t place_bytes = 16, sum_bytes = 4;  // offset and size of a chunk
  std::vector<std::byte> index(grid.shard_levels * grid.chunks() * place_bytes + sum_bytes);
  std::ifstream file(path, std::ios::binary);
  file.seekg(-std::ssize(index), std::ios::end);
  if (!file.read(reinterpret_cast<char*>(index.data()), std::ssize(index))) return false;
  std::vector<std::byte> sum;
  append_little_endian(sum, crc32c(std::span(index).first(index.size() - sum_bytes)));
  return std::equal(sum.begin(), sum.end(), index.end() - sum_bytes);
}

ShardFile::ShardFile(std::string path, std::span<const std::string> missing, const ShardGrid& grid,
                     int levels, std::int64_t points, ChunkCodec codec, std::string aside)
    : path_(std::move(path)),
      aside_(std::move(aside)),
      grid_(grid),
      codec_(std::move(codec)),
      levels_(levels),
      points_(points),
      values_left_(levels * points) {
  for (const auto& directory : missing)
    if (mkdir(directory.c_str(), 0777) != 0 && errno != EEXIST)
      refuse_file("create", directory, errno);
  const auto& name = aside_.empty() ? path_ : aside_;
  file_ = open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0) refuse_file("create", name, errno);
  if (!codec_.compression.none()) places_.resize(grid_.shard_levels * grid_.chunks());
}

ShardFile::~ShardFile() {
  if (file_ >= 0) ::close(file_);
}

void ShardFile::write(const std::byte* from, std::size_t size, std::int64_t offset) {
  const FileSizeSignalBlocked blocked;
  note_written(path_, offset, {from, size});
  while (size > 0) {
    const auto done = pwrite(file_, from, size, offset);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) refuse_file("write", path_, done < 0 ? errno : ENOSPC);
    from += done;
    size -= done;
    offset += done;
  }
}

void ShardFile::put(int first_level, int levels, std::int64_t first_point, std::int64_t points,
                    const std::byte* values, std::int64_t stride) {
  const std::int64_t width = codec_.value_bytes;
  if (!codec_.compression.none()) {
    for (int level = 0; level < levels; ++level)
      put_encoded(first_level + level, first_point, points, values + level * stride * width);
  } else if (points == stride && points == grid_.shard_points) {  // levels without a gap
    write(values, levels * points * width, first_level * points * width);
  } else {
    for (int level = 0; level < levels; ++level)
      write(values + level * stride * width, points * width,
            ((first_level + level) * grid_.shard_points + first_point) * width);
  }
  values_left_ -= levels * points;
}

void ShardFile::put_encoded(int level, std::int64_t first_point, std::int64_t points,
                            const std::byte* values) {
  const std::int64_t width = codec_.value_bytes;
  while (points > 0) {
    const std::int64_t number = first_point / grid_.chunk_points;
    const std::int64_t inside = first_point % grid_.chunk_points;
    const std::int64_t real = std::min(grid_.chunk_points, points_ - number * grid_.chunk_points);
    const std::int64_t count = std::min(points, real - inside);
    const std::size_t chunk = level * grid_.chunks() + number;
    if (count == grid_.chunk_points) {
      add_chunk(chunk, std::span(values, count * width));
    } else {  // in part, or at the end of the field, where a chunk reaches over it
      const std::size_t size = grid_.chunk_points * width;
      auto& partial =
          partial_.try_emplace(chunk, Partial{std::vector<std::byte>(size), real}).first->second;
      std::memcpy(&partial.values[inside * width], values, count * width);
      partial.left -= count;
      if (partial.left == 0) {
        add_chunk(chunk, partial.values);
        partial_.erase(chunk);
      }
    }
    values += count * width;
    first_point += count;
    points -= count;
  }
}

void ShardFile::add_chunk(std::size_t chunk, std::span<const std::byte> values) {
  const std::size_t before = waiting_.size();
  codec_.encode(values, waiting_);
  places_[chunk] = {static_cast<std::uint64_t>(written_) + before, waiting_.size() - before};
  if (waiting_.size() >= flush_bytes) flush();
}

void ShardFile::flush() {
  write(waiting_.data(), waiting_.size(), written_);
  written_ += static_cast<std::int64_t>(waiting_.size());
  waiting_.clear();
}

std::vector<std::byte> ShardFile::index() const {
  std::vector<std::byte> index;
  const auto chunk_bytes = static_cast<std::uint64_t>(grid_.chunk_points * codec_.value_bytes);
  for (std::int64_t i = 0; i < grid_.shard_levels * grid_.chunks(); ++i) {
    Place place;
    const bool real =
        i / grid_.chunks() < levels_ && i % grid_.chunks() * grid_.chunk_points < points_;
    if (!places_.empty())
      place = places_[i];
    else if (real)
      place = {static_cast<std::uint64_t>(i) * chunk_bytes, chunk_bytes};
    append_little_endian(index, place.offset);
    append_little_endian(index, place.size);
  }
  append_little_endian(index, crc32c(index));
  return index;
}

void ShardFile::finish() {
  auto end = index();
  if (places_.empty()) {
    write(end.data(), end.size(), levels_ * grid_.shard_points * codec_.value_bytes);
  } else {
    waiting_.insert(waiting_.end(), end.begin(), end.end());
    flush();
  }
  const int status = ::close(file_);
  file_ = -1;
  if (status != 0) refuse_file("close", path_, errno);
  if (!aside_.empty()) rename_file(aside_, path_);
}

}  // namespace thalweg
