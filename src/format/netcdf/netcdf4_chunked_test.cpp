// SPDX-License-Identifier: Apache-2.0
// Facts about chunked netCDF-4 that a team of 1 to 4 ranks writes together, read back by netCDF-C.
#include "format/netcdf/netcdf4_chunked.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <netcdf.h>
#include <netcdf_filter.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "all_ranks.hpp"
#include "file/checksum_log.hpp"
#include "format/netcdf/hdf5_zstd.hpp"
#include "format/netcdf/netcdf_calls.hpp"
#include "thalweg/checksums.hpp"

using namespace thalweg;

namespace {

struct Team {
  MPI_Comm comm = MPI_COMM_WORLD;
  int rank = 0, size = 1;
  Team() {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
  }
};

/// A folder of all ranks, made and removed by rank 0.
struct Folder {
  std::filesystem::path path;
  const Team& team;
  explicit Folder(const Team& t) : team(t) {
    int id = getpid();
    MPI_Bcast(&id, 1, MPI_INT, 0, team.comm);
    path = std::filesystem::temp_directory_path() / ("thalweg_chunked_test_" + std::to_string(id));
    if (team.rank == 0) std::filesystem::create_directories(path);
    MPI_Barrier(team.comm);
  }
  ~Folder() {
    MPI_Barrier(team.comm);
    std::error_code ignored;
    if (team.rank == 0) std::filesystem::remove_all(path, ignored);
  }
};

FileDescription describe(const std::filesystem::path& folder) {
  FileDescription file;
  file.path = (folder / "fields.nc").string();
  file.fields = {{"ta", "air_temperature", "air temperature", "K", Place::cell, 5, {}},
                 {"vn", "", "normal velocity", "m s-1", Place::edge, 5, {}},
                 {"ps", "surface_air_pressure", "surface pressure", "Pa", Place::vertex, 1, {}}};
  file.level_numbers = {1, 2, 3, 7, 9};
  file.sizes = {1280, 1920, 642};
  file.times_s = {0.0, 3600.0, 7200.0};
  file.steps = {4, 5, 6};
  file.start_date = "2000-01-01T00:00:00Z";
  file.grid = "R2B2";
  file.history = "made by a test";
  file.chunked = true;
  return file;
}

/// Smooth with some noise, so that blocks have many sizes. Exact as float32.
double rough_value(int field, int time, int level, std::int64_t point) {
  const auto hash = static_cast<std::uint32_t>(point * 2654435761LL + level * 40503 + time * 977);
  const double noise = level % 2 == 0 ? static_cast<double>(hash % 1024) / 1024.0 : 0.0;
  return std::floor(250.0 + 20.0 * std::sin(static_cast<double>(point) / 50.0)) + noise +
         100.0 * field + time;
}

std::vector<std::byte> values_of(const FileDescription& file, const Piece& piece, int time) {
  std::vector<std::byte> bytes;
  for (int level = 0; level < piece.levels; ++level) {
    for (std::int64_t point = 0; point < piece.points; ++point) {
      const double wide = rough_value(piece.field, time, piece.first_level + level, point);
      const auto single = static_cast<float>(wide);
      const void* value = file.float64 ? static_cast<const void*>(&wide) : &single;
      const auto* first = static_cast<const std::byte*>(value);
      bytes.insert(bytes.end(), first, first + (file.float64 ? 8 : 4));
    }
  }
  return bytes;
}

/// Carries strings of any length to rank 0 and back, as the output modes do.
std::vector<std::string> gather(const Team& team, const std::string& mine) {
  std::vector<std::string> all(team.size);
  if (team.rank != 0) {
    MPI_Send(mine.data(), static_cast<int>(mine.size()), MPI_BYTE, 0, 1, team.comm);
    return all;
  }
  all[0] = mine;
  for (int rank = 1; rank < team.size; ++rank) {
    MPI_Status status;
    int size = 0;
    MPI_Probe(rank, 1, team.comm, &status);
    MPI_Get_count(&status, MPI_BYTE, &size);
    auto& message = all[rank];
    message.resize(size);
    MPI_Recv(message.data(), size, MPI_BYTE, rank, 1, team.comm, MPI_STATUS_IGNORE);
  }
  return all;
}

std::string scatter(const Team& team, const std::vector<std::string>& all) {
  if (team.rank == 0) {
    for (int rank = 1; rank < team.size; ++rank) {
      const auto& message = all[rank];
      MPI_Send(message.data(), static_cast<int>(message.size()), MPI_BYTE, rank, 2, team.comm);
    }
    return all[0];
  }
  MPI_Status status;
  int size = 0;
  MPI_Probe(0, 2, team.comm, &status);
  MPI_Get_count(&status, MPI_BYTE, &size);
  std::string message(size, '\0');
  MPI_Recv(message.data(), size, MPI_BYTE, 0, 2, team.comm, MPI_STATUS_IGNORE);
  return message;
}

/// With a room every rank writes each chunk at once; without, all of them after the grant.
std::unique_ptr<Container> open_together(const Team& team, const FileDescription& file,
                                         FileRoom* room = nullptr, ChunkLimits limits = {}) {
  limits.batch_bytes = 1;
  std::unique_ptr<Container> container;
  if (team.rank == 0) container = create_netcdf4_chunked(file, team.comm, limits);
  if (team.rank == 0 && room != nullptr) container->share_room(*room);
  MPI_Barrier(team.comm);
  if (team.rank != 0) container = join_netcdf4_chunked(file, "", team.comm, limits);
  if (team.rank != 0 && room != nullptr) container->share_room(*room);
  return container;
}

void settle_together(const Team& team, Container& container, int time) {
  auto requests = gather(team, container.request(time));
  std::vector<std::string> answers;
  if (team.rank == 0) answers = container.grant(time, std::move(requests));
  container.settle(time, scatter(team, answers));
}

void write_time(const Team& team, const FileDescription& file, Container& container, int time) {
  int dealt = 0;  // levels go round the ranks, backwards in every second field
  for (int field = 0; field < static_cast<int>(file.fields.size()); ++field) {
    const auto& info = file.fields[field];
    for (int i = 0; i < info.levels; ++i) {
      const int level = field % 2 == 0 ? i : info.levels - 1 - i;
      if (dealt++ % team.size != team.rank) continue;
      const Piece piece{field, level, 1, 0, file.sizes[info.place]};
      container.put(piece, time, values_of(file, piece, time).data());
    }
  }
  settle_together(team, container, time);
}

void close_together(const Team& team, Container& container) {
  if (team.rank != 0) container.close();
  MPI_Barrier(team.comm);
  if (team.rank == 0) container.close();
}

struct Reader {
  int ncid = -1;
  explicit Reader(const std::string& path) {
    REQUIRE(nc_open(path.c_str(), NC_NOWRITE, &ncid) == NC_NOERR);
  }
  ~Reader() { nc_close(ncid); }
  int variable(const std::string& name) const {
    int id = -1;
    REQUIRE(nc_inq_varid(ncid, name.c_str(), &id) == NC_NOERR);
    return id;
  }
  std::string text(int id, const char* name) const {
    std::size_t size = 0;
    if (nc_inq_attlen(ncid, id, name, &size) != NC_NOERR) return "";
    std::string value(size, '\0');
    nc_get_att_text(ncid, id, name, value.data());
    return value;
  }
};

void check_values(const FileDescription& file, const Reader& reader, int time) {
  for (int field = 0; field < static_cast<int>(file.fields.size()); ++field) {
    const auto& info = file.fields[field];
    const auto points = file.sizes[info.place];
    std::vector<double> values(info.levels * points);
    const std::size_t n = points;
    const std::size_t start[] = {static_cast<std::size_t>(time), 0, 0};
    const std::size_t layered[] = {1, static_cast<std::size_t>(info.levels), n}, flat[] = {1, n};
    REQUIRE(nc_get_vara_double(reader.ncid, reader.variable(info.name), start,
                               info.levels == 1 ? flat : layered, values.data()) == NC_NOERR);
    std::vector<double> wanted;
    for (int level = 0; level < info.levels; ++level)
      for (std::int64_t point = 0; point < points; ++point)
        wanted.push_back(file.float64 ? rough_value(field, time, level, point)
                                      : static_cast<float>(rough_value(field, time, level, point)));
    CHECK(values == wanted);
  }
}

/// The first `times` of the file at `path`.
void check_times(const FileDescription& file, const std::string& path, int times) {
  const Reader reader(path);
  for (int time = 0; time < times; ++time) check_values(file, reader, time);
}

}  // namespace

TEST_CASE("a_team_writes_one_chunked_file_that_netcdf_reads") {
  const Team team;
  const auto room = make_team_room(team.comm);
  REQUIRE(room);
  for (const char* compression : {"none", "deflate", "zstd"}) {
    for (const bool float64 : {false, true}) {
      const bool early = float64 == (std::string(compression) != "none");
      CAPTURE(compression);
      CAPTURE(float64);
      CAPTURE(early);
      const Folder folder(team);
      auto file = describe(folder.path);
      file.compression.codec = compression;
      file.float64 = float64;
      const auto container = open_together(team, file, early ? room.get() : nullptr);
      for (int time = 0; time < 3; ++time) write_time(team, file, *container, time);
      close_together(team, *container);
      if (team.rank != 0) continue;
      CHECK_FALSE(std::filesystem::exists(file.path + ".part"));
      if (std::string(compression) == "zstd") register_hdf5_zstd();
      const Reader reader(file.path);
      for (int time = 0; time < 3; ++time) check_values(file, reader, time);

      int unlimited = -1, shuffle = 0, deflate = 0, level = 0, storage = 0;
      std::size_t length = 0, chunk[3] = {}, filters = 0;
      nc_inq_unlimdim(reader.ncid, &unlimited);
      nc_inq_dimlen(reader.ncid, unlimited, &length);
      CHECK(length == 3);
      const int ta = reader.variable("ta");
      nc_inq_var_chunking(reader.ncid, ta, &storage, chunk);
      CHECK(storage == NC_CHUNKED);
      CHECK(std::vector(chunk, chunk + 3) == std::vector<std::size_t>{1, 1, 1280});
      nc_inq_var_deflate(reader.ncid, ta, &shuffle, &deflate, &level);
      CHECK(shuffle == (std::string(compression) != "none"));
      CHECK(deflate == (std::string(compression) == "deflate"));
      nc_inq_var_filter_ids(reader.ncid, ta, &filters, nullptr);
      CHECK(filters == (std::string(compression) == "none" ? 0 : 2));
      CHECK(reader.text(ta, "units") == "K");
      CHECK(reader.text(ta, "location") == "face");
      CHECK(reader.text(NC_GLOBAL, "history") == "made by a test");
      CHECK(reader.text(NC_GLOBAL, "compression_plugin").empty() ==
            (std::string(compression) != "zstd"));
      std::vector<double> times(3);
      nc_get_var_double(reader.ncid, reader.variable("time"), times.data());
      CHECK(times == file.times_s);
    }
  }
}

TEST_CASE("a_level_larger_than_a_chunk_is_divided") {
  const Team team;
  const Folder folder(team);
  auto file = describe(folder.path);
  file.compression.codec = "deflate";
  const auto container =
      open_together(team, file, nullptr, {.chunk_bytes = 2000});  // 642 vertices: 2 chunks of 321
  for (int time = 0; time < 3; ++time) write_time(team, file, *container, time);
  close_together(team, *container);
  if (team.rank != 0) return;
  const Reader reader(file.path);
  for (int time = 0; time < 3; ++time) check_values(file, reader, time);
  std::size_t chunk[3] = {};
  nc_inq_var_chunking(reader.ncid, reader.variable("ta"), nullptr, chunk);
  CHECK(chunk[2] == 427);  // 1280 = 427 + 427 + 426: the last one is not full
}

TEST_CASE("an_abandoned_file_stays_aside_and_holds_the_times_before") {
  const Team team;
  const Folder folder(team);
  auto file = describe(folder.path);
  file.compression.codec = "deflate";
  const auto room = make_team_room(team.comm);
  const auto container = open_together(team, file, room.get());
  for (int time = 0; time < 2; ++time) write_time(team, file, *container, time);
  MPI_Barrier(team.comm);
  if (team.rank == 0) {
    const auto killed = (folder.path / "killed.nc").string();  // as a killed run leaves it
    std::filesystem::copy_file(file.path + ".part", killed);
    check_times(file, killed, 2);
  }
  MPI_Barrier(team.comm);
  container->abandon();
  container->abandon();
  MPI_Barrier(team.comm);
  if (team.rank != 0) return;
  CHECK_FALSE(std::filesystem::exists(file.path));
  check_times(file, file.path + ".part", 2);
}

TEST_CASE("a_time_that_begins_before_the_one_before_is_granted_waits_for_it") {
  const Team team;
  const Folder folder(team);
  auto file = describe(folder.path);
  file.compression.codec = "deflate";
  const auto room = make_team_room(team.comm);
  const auto container = open_together(team, file, room.get());
  for (const bool second_half : {false, true}) {  // times 0 and 1 side by side
    for (const int time : {0, 1}) {
      for (int field = 0; field < static_cast<int>(file.fields.size()); ++field) {
        const auto& info = file.fields[field];
        for (int level = team.rank; level < info.levels; level += team.size) {
          if ((field > 0) != second_half) continue;
          const Piece piece{field, level, 1, 0, file.sizes[info.place]};
          container->put(piece, time, values_of(file, piece, time).data());
        }
      }
    }
  }
  for (const int time : {0, 1}) settle_together(team, *container, time);
  write_time(team, file, *container, 2);
  close_together(team, *container);
  if (team.rank == 0) check_times(file, file.path, 3);
}

TEST_CASE("a_longer_history_leaves_the_bytes_that_ranks_wrote_as_they_were") {
  const Team team;
  for (const char* compression : {"none", "deflate"}) {
    CAPTURE(compression);
    const Folder folder(team);
    collect_checksums(folder.path);
    auto file = describe(folder.path);
    file.compression.codec = compression;
    const auto container = open_together(team, file);
    for (int time = 0; time < 3; ++time) write_time(team, file, *container, time);
    container->description().history += std::string(20000, 'x');
    close_together(team, *container);
    MPI_Barrier(team.comm);
    const FileBytes bytes(file.path, O_RDONLY);
    const auto written = take_new_written(file.path);
    take_written();
    REQUIRE(written.size() == 1);
    for (const auto& block : written.begin()->second) {
      const auto end = block.offset + block.bytes;
      REQUIRE(end <= bytes.size());
      CHECK(read_block(bytes, block.offset, end).crc32 == block.crc32);
    }
    if (team.rank != 0) continue;
    const Reader reader(file.path);
    for (int time = 0; time < 3; ++time) check_values(file, reader, time);
  }
}

TEST_CASE("parts_of_levels_are_refused") {
  const Team team;
  const Folder folder(team);
  const auto file = describe(folder.path);
  const auto container = open_together(team, file);
  try {
    container->put({0, 0, 1, 0, 100}, 0, nullptr);
    FAIL("was taken");
  } catch (const Error& error) {
    CHECK(error.blame() == Blame::bug);
  }
}

TEST_CASE("a_chunked_file_in_a_missing_folder_is_refused_with_its_path") {
  auto file = describe("/proc/no/such/folder");
  try {
    create_netcdf4_chunked(file, MPI_COMM_SELF);
    FAIL("was made");
  } catch (const Error& error) {
    CHECK(error.blame() == Blame::file_system);
    CHECK(std::string(error.what()).find("/proc/no/such/folder") != std::string::npos);
  }
}

TEST_CASE("a_file_that_went_with_its_folder_is_not_called_damaged") {
  const std::string gone = "/proc/no/such/folder/wind.nc.part";
  CHECK_THROWS_WITH_AS(check_netcdf_open(NC_EHDFERR, gone),
                       doctest::Contains("folder' is not there"), Error);
  CHECK_THROWS_WITH_AS(check_netcdf_open(NC_ENOTNC, "/proc/self/status"),
                       doctest::Contains("is no whole netCDF file any more"), Error);
}

TEST_CASE("a_file_that_a_reader_has_open_is_not_called_damaged") {
  const SharedDirectory directory;
  if (world_rank() != 0) return;
  const auto path = directory.path + "/wind.nc";
  { const NetcdfFile made(path, NC_NETCDF4); }
  int reader = -1;
  REQUIRE(nc_open(path.c_str(), NC_NOWRITE, &reader) == NC_NOERR);
  CHECK_THROWS_WITH_AS(check_netcdf_open(NC_EHDFERR, path),
                       doctest::Contains("another program has"), Error);
  nc_close(reader);
  CHECK_THROWS_WITH_AS(check_netcdf_open(NC_EHDFERR, path), doctest::Contains("no whole netCDF"),
                       Error);
}
