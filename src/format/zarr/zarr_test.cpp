// SPDX-License-Identifier: Apache-2.0
// Facts about Zarr stores: cuts, bytes of shards, and stores written by one to four ranks.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <mpi.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "all_ranks.hpp"
#include "codec/codec.hpp"
#include "field/mesh_variables.hpp"
#include "format/container.hpp"
#include "format/zarr/shard.hpp"
#include "thalweg/decomposition.hpp"
#include "thalweg/error.hpp"

using namespace thalweg;
namespace fs = std::filesystem;

namespace {

std::vector<std::byte> read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE_MESSAGE(file.good(), path);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), {});
  const auto all = std::as_bytes(std::span(bytes));
  return {all.begin(), all.end()};
}

template <class Number>
Number number_at(const std::vector<std::byte>& bytes, std::size_t offset) {
  REQUIRE(offset + sizeof(Number) <= bytes.size());
  Number number{};
  std::memcpy(&number, &bytes[offset], sizeof number);
  return number;
}

/// CRC-32C bit by bit, from its definition (RFC 3720, B.4: reflected polynomial 0x82f63b78).
std::uint32_t slow_crc32c(std::span<const std::byte> bytes) {
  std::uint32_t crc = ~0U;
  for (const std::byte byte : bytes) {
    crc ^= static_cast<std::uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1U) != 0 ? 0x82f63b78U : 0U);
  }
  return ~crc;
}

/// Values of a chunk as they stand in a shard.
std::vector<float> decode(const std::vector<std::byte>& shard, std::uint64_t offset,
                          std::uint64_t size, const std::string& compression, std::size_t values) {
  std::vector<float> decoded(values);
  const auto chunk = std::span(shard).subspan(offset, size);
  const auto into = std::as_writable_bytes(std::span(decoded));
  if (compression == "none") {
    REQUIRE(size == into.size());
    std::memcpy(into.data(), chunk.data(), size);
    return decoded;
  }
  CHECK(number_at<std::uint32_t>(shard, offset + 4) == into.size());
  CHECK(number_at<std::uint32_t>(shard, offset + 12) == size);
  const auto stream = number_at<std::uint32_t>(shard, offset + 20);
  REQUIRE(stream + 24 == size);
  if (stream == into.size())
    unshuffle(chunk.subspan(24), 4, into);
  else
    decompress_values(find_codec(compression), chunk.subspan(24), 4, into);
  return decoded;
}

/// A field's value that no other place of the file has (as float32, exactly).
float value_of(int field, int time, int level, std::int64_t point) {
  return static_cast<float>(point + 6000 * (level + 10 * (time + 10 * field)));
}

FileDescription two_fields(const std::string& path) {
  FileDescription file;
  file.path = path;
  file.fields = {
      {"ta", "air_temperature", "temperature", "K", Place::cell, 7, ValueType::float64},
      {"ps", "surface_air_pressure", "pressure", "Pa", Place::vertex, 1, ValueType::float64}};
  file.level_numbers = {1, 2, 3, 5, 8, 9, 10};
  file.grid = "R2B2";
  const Grid grid = Grid::parse(file.grid);
  file.sizes = {grid.cells(), grid.edges(), grid.vertices()};
  file.times_s = {0.0, 3600.0, 7200.0};
  file.steps = {0, 1, 2};
  file.start_date = "2000-01-01T00:00:00Z";
  file.attributes = {{"title", "test"}}, file.history = "2026 thalweg_tests";
  return file;
}

/// Every rank writes the pieces that are dealt to it (round-robin), in slabs of `slab` levels.
void write_store(const FileDescription& file, int slab) {
  const auto& info = find_container("zarr", "direct");
  const bool was_there = fs::exists(file.path);  // then the new store replaces it
  std::unique_ptr<Container> container;
  if (world_rank() == 0) container = info.create(file, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank() != 0) container = info.join(file, "", MPI_COMM_WORLD);
  for (int time = 0; time < static_cast<int>(file.times_s.size()); ++time) {
    for (std::size_t i = 0; i < file.pieces.size(); ++i) {
      if (static_cast<int>(i) % world_size() != world_rank()) continue;
      const Piece& whole = file.pieces[i];
      for (int level = 0; level < whole.levels; level += slab) {
        Piece part = whole;
        part.first_level += level;
        part.levels = std::min(slab, whole.levels - level);
        std::vector<float> values;
        for (int l = 0; l < part.levels; ++l)
          for (std::int64_t p = 0; p < part.points; ++p)
            values.push_back(
                value_of(part.field, time, part.first_level + l, part.first_point + p));
        container->put(part, time, values.data());
      }
    }
  }
  if (world_rank() != 0) container->close();
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(fs::exists(file.path) == was_there);
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank() == 0) container->close();
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(fs::exists(file.path + "/zarr.json"));
  CHECK_FALSE(fs::exists(file.path + ".part"));
  CHECK_FALSE(fs::exists(file.path + ".old"));
  MPI_Barrier(MPI_COMM_WORLD);
}

/// Reads a field back the long way: zarr.json, shard, index, checksum, chunk.
void check_field(const FileDescription& file, int field, int time) {
  const auto& info = file.fields[field];
  std::ifstream text(file.path + "/" + info.name + "/zarr.json");
  const auto json = nlohmann::json::parse(text);
  const auto shard = json["chunk_grid"]["configuration"]["chunk_shape"];
  const auto inner = json["codecs"][0]["configuration"]["chunk_shape"];
  const bool deep = info.levels > 1;
  const int shard_levels = deep ? shard[1].get<int>() : 1;
  const auto shard_points = shard.back().get<std::int64_t>();
  const auto chunk_points = inner.back().get<std::int64_t>();
  const auto points = json["shape"].back().get<std::int64_t>();
  REQUIRE(shard_points % chunk_points == 0);
  const std::size_t chunks = shard_points / chunk_points;
  for (int level = 0; level < info.levels; ++level) {
    for (std::int64_t first = 0; first < points; first += chunk_points) {
      const std::string row = deep ? fmt::format("/{}", level / shard_levels) : "";
      const auto bytes = read_bytes(
          fmt::format("{}/{}/c/{}{}/{}", file.path, info.name, time, row, first / shard_points));
      const std::size_t entries = shard_levels * chunks;
      const std::size_t index = bytes.size() - 16 * entries - 4;
      REQUIRE(index < bytes.size());
      REQUIRE(slow_crc32c(std::span(bytes).subspan(index, 16 * entries)) ==
              number_at<std::uint32_t>(bytes, bytes.size() - 4));
      const std::size_t entry =
          (level % shard_levels) * chunks + (first % shard_points / chunk_points);
      const auto values = decode(bytes, number_at<std::uint64_t>(bytes, index + 16 * entry),
                                 number_at<std::uint64_t>(bytes, index + 16 * entry + 8),
                                 file.compression.codec, chunk_points);
      for (std::int64_t p = 0; p < std::min(chunk_points, points - first); ++p)
        REQUIRE(values[p] == value_of(field, time, level, first + p));
    }
  }
}

std::vector<Piece> dealt(std::initializer_list<int> level_ranges, const FileDescription& file) {
  std::vector<Piece> pieces;
  int first = 0;
  for (const int levels : level_ranges) {
    pieces.push_back({0, first, levels, 0, file.sizes[0]});
    first += levels;
  }
  pieces.push_back({1, 0, 1, 0, file.sizes[2]});
  return pieces;
}

}  // namespace

TEST_CASE("no_shard_belongs_to_two_pieces") {
  const auto levels_of = [](std::initializer_list<int> ranges) {
    std::vector<Piece> pieces;
    int first = 0;
    for (const int levels : ranges) pieces.push_back({0, first, levels, 0, 1000}), first += levels;
    return divide_into_shards(first, 1000, pieces, 4).shard_levels;
  };
  CHECK(levels_of({90}) == 90);
  CHECK(levels_of({45, 45}) == 45);
  CHECK(levels_of({24, 24, 24, 18}) == 24);
  CHECK(levels_of({30, 20, 40}) == 10);
  CHECK(levels_of({23, 23, 22, 22}) == 1);
  CHECK(levels_of({0, 45, 45}) == 45);  // an empty piece cuts nothing
}

TEST_CASE("chunks_hold_at_most_four_mebibytes_and_fill_their_shards") {
  for (const std::int64_t points :
       {1, 1000, 81'920, 1'048'576, 1'048'577, 20'971'520, 10'485'762}) {
    for (const std::size_t bytes : {4U, 8U, 24U}) {
      const ShardGrid grid = divide_into_shards(5, points, {}, bytes);
      CHECK(grid.chunk_points * static_cast<std::int64_t>(bytes) <= 4 << 20);
      CHECK(grid.shard_points % grid.chunk_points == 0);
      CHECK(grid.shard_points >= points);
      CHECK(grid.shard_points - points < grid.chunks());  // hardly anything beyond the end
    }
  }
  const std::vector<Piece> halves{{0, 0, 5, 0, 3'000'000}, {0, 0, 5, 3'000'000, 2'900'000}};
  const ShardGrid grid = divide_into_shards(5, 5'900'000, halves, 4);
  CHECK(grid.shard_points == 3'000'000);
  CHECK(grid.chunk_points == 1'000'000);
}

TEST_CASE("a_store_holds_what_its_ranks_put") {
  const SharedDirectory folder;
  for (const std::string compression : {"none", "deflate", "zstd"}) {
    for (const int slab : {1, 2, 7}) {
      CAPTURE(compression);
      CAPTURE(slab);
      FileDescription file = two_fields(folder.path + "/" + compression + ".zarr");
      file.compression.codec = compression;
      file.pieces = slab == 1   ? dealt({7}, file)
                    : slab == 2 ? dealt({4, 3}, file)
                                : dealt({3, 2, 2}, file);
      write_store(file, slab);
      for (int field = 0; field < 2; ++field)
        for (int time = 0; time < 3; ++time) check_field(file, field, time);
      MPI_Barrier(MPI_COMM_WORLD);  // the next one replaces it
    }
  }
}

TEST_CASE("pieces_may_divide_points_and_slabs_may_divide_chunks") {
  const SharedDirectory folder;
  for (const std::string compression : {"none", "zstd"}) {
    CAPTURE(compression);
    FileDescription file = two_fields(folder.path + "/points.zarr");
    file.compression.codec = compression;
    file.pieces = {{0, 0, 4, 0, 640}, {0, 4, 3, 0, 640}, {0, 0, 4, 640, 640}, {0, 4, 3, 640, 640}};
    for (std::int64_t point = 0; point < file.sizes[2]; point += 100)
      file.pieces.push_back({1, 0, 1, point, std::min<std::int64_t>(100, file.sizes[2] - point)});
    write_store(file, 3);
    for (int field = 0; field < 2; ++field) check_field(file, field, 2);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

TEST_CASE("slabs_that_end_inside_chunks_make_the_same_bytes") {
  const SharedDirectory folder;
  const std::string name = fmt::format("{}/{}", folder.path, world_rank());
  const std::int64_t points = 2'500'003;  // three chunks, the last reaches one point over the end
  std::vector<float> values(2 * points);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(static_cast<float>(i) * 1e-3F);
  const auto bytes = std::as_bytes(std::span(values));
  const ShardGrid grid = divide_into_shards(2, points, {}, 4);
  REQUIRE(grid.chunks() == 3);
  for (const std::string compression : {"none", "deflate", "zstd"}) {
    const ChunkCodec codec{{compression}, 4};
    ShardFile whole(name + "_whole", {}, grid, 2, points, codec);
    whole.put(0, 2, 0, points, bytes.data(), points);
    REQUIRE(whole.complete());
    whole.finish();
    ShardFile parts(name + "_parts", {}, grid, 2, points, codec);
    for (int level = 0; level < 2; ++level)
      for (std::int64_t first = 0; first < points; first += 300'000) {
        CHECK_FALSE(parts.complete());
        const auto count = std::min<std::int64_t>(300'000, points - first);
        parts.put(level, 1, first, count, bytes.data() + 4 * (level * points + first), count);
      }
    REQUIRE(parts.complete());
    parts.finish();
    CHECK(read_bytes(name + "_whole") == read_bytes(name + "_parts"));
  }
}

TEST_CASE("values_that_do_not_compress_are_stored") {
  const SharedDirectory folder;
  std::vector<std::uint32_t> values(1000);
  std::uint32_t state = 1;  // a linear congruential generator: noise in every byte but the last
  for (auto& value : values)
    for (int byte = 0; byte < 4; ++byte)
      value = value << 8U | (state = state * 1664525U + 1013904223U) >> 24U;
  const auto bytes = std::as_bytes(std::span(values));
  PageBytes frame;
  ChunkCodec{{"zstd"}, 4}.encode(bytes, frame);
  CHECK(frame.size() == bytes.size() + 24);
  std::vector<float> floats(1000);
  std::memcpy(floats.data(), values.data(), bytes.size());
  const auto decoded = decode({frame.begin(), frame.end()}, 0, frame.size(), "zstd", 1000);
  CHECK(std::memcmp(decoded.data(), floats.data(), bytes.size()) == 0);
}

TEST_CASE("the_mesh_of_a_store_is_the_mesh") {
  const SharedDirectory folder;
  FileDescription file = two_fields(folder.path + "/mesh.zarr");
  file.pieces = dealt({7}, file);
  write_store(file, 7);
  const Mesh mesh = build_mesh(Decomposition(Grid::parse(file.grid), 1, "curve"), 0, 1);
  for (const MeshVariable& variable : mesh_variables()) {
    if (!is_wanted(variable, {true, false, true, false, false})) continue;
    const bool wide = variable.width > 1;
    const auto bytes =
        read_bytes(fmt::format("{}/{}/c/0{}", file.path, variable.name, wide ? "/0" : ""));
    double number = 0;
    std::int64_t index[6] = {};
    for (int point = 0; point < mesh.part(variable.place).owned; ++point) {
      const std::size_t first = point * variable.width;
      if (variable.numbers != nullptr) {
        variable.numbers(mesh, point, &number);
        REQUIRE(number_at<double>(bytes, 8 * first) == number);
      } else {
        variable.indices(mesh, point, index);
        REQUIRE(number_at<std::int32_t>(bytes, 4 * first) == index[0]);
      }
    }
  }
  CHECK(read_bytes(file.path + "/mesh/c").size() == 4);
}

TEST_CASE("a_store_does_not_replace_what_is_no_store") {
  const SharedDirectory folder;
  if (world_rank() == 0) {
    FileDescription file = two_fields(folder.path + "/precious.zarr");
    fs::create_directories(file.path);
    CHECK_THROWS_WITH_AS((void)find_container("zarr", "direct").create(file, MPI_COMM_SELF),
                         doctest::Contains("is not a Zarr store"), Error);
    CHECK(fs::is_empty(file.path));
    file = two_fields(folder.path + "/missing/out.zarr");
    CHECK_THROWS_WITH_AS((void)find_container("zarr", "direct").create(file, MPI_COMM_SELF),
                         doctest::Contains("is not there"), Error);
    file = two_fields(folder.path + "/early.zarr");
    file.pieces = dealt({7}, file);
    const auto container = find_container("zarr", "direct").create(file, MPI_COMM_SELF);
    const std::vector<float> values(file.sizes[0]);
    container->put({0, 0, 1, 0, file.sizes[0]}, 0, values.data());
    CHECK_THROWS_WITH_AS(container->close(), doctest::Contains("ta/c/0/0/0"), Error);
    CHECK_FALSE(fs::exists(file.path));
  }
}

TEST_CASE("a_kill_at_any_moment_leaves_no_half_description") {
  const SharedDirectory folder;
  if (world_rank() != 0) return;
  FileDescription file = two_fields(folder.path + "/killed.zarr");
  file.pieces = dealt({4, 3}, file);
  const auto aside = file.path + ".part";
  fs::create_directories(aside);  // killed before the first file had its name
  std::ofstream(aside + "/zarr.json.part") << "{";
  const auto container = find_container("zarr", "direct").create(file, MPI_COMM_SELF);
  for (int time = 0; time < 3; ++time) {
    for (const Piece& piece : file.pieces) {
      const std::vector<float> values(std::int64_t{piece.levels} * piece.points);
      container->put(piece, time, values.data());
    }
  }
  // A second name shows whether close changes files where they lie, or puts whole ones there.
  const std::vector<std::string> rewritten{"zarr.json", "ta/zarr.json", "clat/zarr.json",
                                           "time/c/0"};
  for (std::size_t i = 0; i < rewritten.size(); ++i) {
    fs::create_hard_link(fmt::format("{}/{}", aside, rewritten[i]),
                         fmt::format("{}/second_{}", folder.path, i));
  }
  container->close();
  for (std::size_t i = 0; i < rewritten.size(); ++i) {
    CAPTURE(rewritten[i]);
    CHECK(fs::hard_link_count(fmt::format("{}/second_{}", folder.path, i)) == 1);
    CHECK(fs::hard_link_count(fmt::format("{}/{}", file.path, rewritten[i])) == 1);
  }
  for (const auto& entry : fs::recursive_directory_iterator(file.path)) {
    CHECK(entry.path().extension() != ".part");
  }
}

TEST_CASE("a_kill_while_a_store_goes_on_leaves_its_grid_whole") {
  const SharedDirectory folder;
  if (world_rank() != 0) return;
  FileDescription file = two_fields(folder.path + "/on.zarr");
  file.pieces = dealt({4, 3}, file);
  const auto put = [&](Container& container, int time) {
    for (const Piece& piece : file.pieces) {
      const std::vector<float> values(std::int64_t{piece.levels} * piece.points);
      container.put(piece, time, values.data());
    }
  };
  const auto container = find_container("zarr", "direct").create(file, MPI_COMM_SELF);
  for (int time = 0; time < 2; ++time) put(*container, time);
  container->abandon();
  // A second name of each shows whether it was changed where it lies.
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  std::vector<std::string> seconds;
  for (const auto& entry : fs::recursive_directory_iterator(file.path + ".part")) {
    if (!entry.is_regular_file()) continue;
    seconds.push_back(fmt::format("{}/second_{}", folder.path, seconds.size()));
    fs::create_hard_link(entry.path(), seconds.back());
    fs::last_write_time(seconds.back(), long_ago);
  }
  CHECK(seconds.size() > 20);
  file.kept = {{0, file.times_s[0], ""}};
  const auto goes_on = find_container("zarr", "direct").create(file, MPI_COMM_SELF);
  for (const auto& second : seconds) {
    CAPTURE(second);
    CHECK(fs::last_write_time(second) <= long_ago);
  }
  goes_on->abandon();
}
