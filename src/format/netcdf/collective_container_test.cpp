// SPDX-License-Identifier: Apache-2.0
// Facts about files that a team writes by MPI-IO, written as the output engine does it and read
// back with netCDF-C.
#include "format/netcdf/collective_container.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <netcdf.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "all_ranks.hpp"
#include "thalweg/error.hpp"
#include "thalweg/mpi_io.hpp"

using namespace thalweg;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t cells = 1000, edges = 1501;
constexpr int levels = 5;

FileDescription description_of(const fs::path& path) {
  FileDescription file;
  file.path = path.string();
  const auto field = [](const char* name, Place place, int count) {
    FieldInfo info;
    info.name = name, info.long_name = name, info.units = "1";
    info.place = place, info.levels = count;
    return info;
  };
  file.fields = {field("flat", Place::cell, 1), field("deep", Place::cell, levels),
                 field("wind", Place::edge, levels)};
  file.level_numbers = {1, 2, 3, 4, 5};
  file.sizes = {cells, edges, 1};
  file.times_s = {0.0, 60.0, 120.0};
  file.steps = {0, 1, 2};
  file.start_date = "2000-01-01T00:00:00Z";
  file.history = "made";
  return file;
}

double value_of(int field, int time, int level, std::int64_t point) {
  return field * 1e6 + time * 1e5 + level * 1e4 + static_cast<double>(point);
}

/// By fields: each field to one rank. By levels, by points: each rank has some of every field; with
/// many ranks some have none.
std::vector<std::vector<Piece>> deal(const FileDescription& file, const std::string& by,
                                     int ranks) {
  std::vector<std::vector<Piece>> dealt(ranks);
  for (int i = 0; i < static_cast<int>(file.fields.size()); ++i) {
    const auto& info = file.fields[i];
    const auto points = file.sizes[info.place];
    for (int rank = 0; rank < ranks; ++rank) {
      auto& own = dealt[rank];
      if (by == "fields") {
        if (i % ranks == rank) own.push_back({i, 0, info.levels, 0, points});
      } else if (by == "levels") {
        // Round-robin: the levels of one rank do not follow each other.
        for (int level = rank; level < info.levels; level += ranks)
          own.push_back({i, level, 1, 0, points});
      } else {
        const auto begin = points * rank / ranks, end = points * (rank + 1) / ranks;
        own.push_back({i, 0, info.levels, begin, end - begin});
      }
    }
  }
  return dealt;
}

/// Hands a piece over in slabs whose memory is reused at once.
template <class Value>
void put_in_slabs(Container& container, const Piece& piece, int time) {
  const std::int64_t most = 300;
  std::vector<Value> slab;
  for (int level = piece.first_level; level < piece.first_level + piece.levels; ++level) {
    for (std::int64_t done = 0; done < piece.points; done += most) {
      const Piece part{piece.field, level, 1, piece.first_point + done,
                       std::min(most, piece.points - done)};
      slab.clear();
      for (std::int64_t i = 0; i < part.points; ++i)
        slab.push_back(
            static_cast<Value>(value_of(piece.field, time, level, part.first_point + i)));
      container.put(part, time, slab.data());
      std::fill(slab.begin(), slab.end(), Value{-1});
    }
  }
}

/// What the engine does between put and settle: texts to the head, answers back.
std::string carry(Container& container, int time) {
  constexpr int room = 1024;
  std::vector<char> mine(room), all(room * world_size());
  const auto request = container.request(time);
  REQUIRE(request.size() < room);
  std::copy(request.begin(), request.end(), mine.begin());
  MPI_Gather(mine.data(), room, MPI_CHAR, all.data(), room, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (world_rank() == 0) {
    std::vector<std::string> requests;
    for (int rank = 0; rank < world_size(); ++rank)
      requests.emplace_back(&all[std::size_t(rank * room)]);
    const auto answers = container.grant(time, requests);
    std::fill(all.begin(), all.end(), '\0');
    for (int rank = 0; rank < world_size(); ++rank) {
      const auto& answer = answers[rank];
      std::copy(answer.begin(), answer.end(), all.begin() + rank * room);
    }
  }
  MPI_Scatter(all.data(), room, MPI_CHAR, mine.data(), room, MPI_CHAR, 0, MPI_COMM_WORLD);
  return mine.data();
}

/// Of the first time, while no file may be longer than `bytes`.
std::string said_under_limit(Container& container, const std::string& answer, std::int64_t bytes) {
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit little{static_cast<rlim_t>(bytes), before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &little);
  std::string said;
  try {
    container.settle(0, answer);
  } catch (const Error& error) {
    said = error.what();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  return said;
}

std::unique_ptr<Container> open_file(const std::string& name, const FileDescription& file) {
  const auto& kind = find_container(name, "mpiio");
  check_file(kind, file);
  std::unique_ptr<Container> container;
  if (world_rank() == 0) container = kind.create(file, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank() != 0) container = kind.join(file, "", MPI_COMM_WORLD);
  return container;
}

void close_file(Container& container) {
  if (world_rank() != 0) container.close();
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank() == 0) container.close();
  MPI_Barrier(MPI_COMM_WORLD);
}

/// Writes all times.
void write_file(const std::string& name, FileDescription file, const std::string& by) {
  const auto dealt = deal(file, by, world_size());
  for (const auto& pieces : dealt)
    file.pieces.insert(file.pieces.end(), pieces.begin(), pieces.end());
  const auto container = open_file(name, file);
  for (int time = 0; time < static_cast<int>(file.times_s.size()); ++time) {
    for (const auto& piece : dealt[world_rank()]) {
      switch (file.type_of(file.fields[piece.field])) {
        case ValueType::float64:
          put_in_slabs<double>(*container, piece, time);
          break;
        case ValueType::float32:
          put_in_slabs<float>(*container, piece, time);
          break;
        case ValueType::int32:
          put_in_slabs<std::int32_t>(*container, piece, time);
          break;
        case ValueType::int64:
          put_in_slabs<std::int64_t>(*container, piece, time);
          break;
      }
    }
    container->settle(time, carry(*container, time));
  }
  close_file(*container);
}

/// Number of values that are not what they should be; -1 if the file cannot be read.
int wrong_values(const FileDescription& file) {
  int ncid = -1, wrong = 0;
  if (nc_open(file.path.c_str(), NC_NOWRITE, &ncid) != NC_NOERR) return -1;
  for (int field = 0; field < static_cast<int>(file.fields.size()); ++field) {
    const auto& info = file.fields[field];
    const auto points = file.sizes[info.place];
    int variable = -1, times = -1;
    std::size_t length = 0;
    if (nc_inq_varid(ncid, info.name.c_str(), &variable) != NC_NOERR) return -1;
    nc_inq_dimid(ncid, "time", &times);
    nc_inq_dimlen(ncid, times, &length);
    if (length != file.times_s.size()) return -1;
    std::vector<double> values(length * info.levels * points);
    if (nc_get_var_double(ncid, variable, values.data()) != NC_NOERR) return -1;
    auto value = values.begin();
    for (int time = 0; time < static_cast<int>(length); ++time) {
      for (int level = 0; level < info.levels; ++level) {
        for (std::int64_t point = 0; point < points; ++point) {
          const double exact = value_of(field, time, level, point);
          const double expected =
              file.float64 ? exact : static_cast<double>(static_cast<float>(exact));
          wrong += *value++ != expected ? 1 : 0;
        }
      }
    }
  }
  std::vector<double> times(file.times_s.size());
  int variable = -1;
  nc_inq_varid(ncid, "time", &variable);
  nc_get_var_double(ncid, variable, times.data());
  wrong += times != file.times_s ? 1 : 0;
  nc_close(ncid);
  return wrong;
}

#ifdef THALWEG_PARALLEL_NETCDF
constexpr bool built = true;
#else
constexpr bool built = false;
#endif

/// Containers of this way that are there: without PnetCDF only netCDF-4.
std::vector<std::string> names() {
  std::vector<std::string> list;
  for (const auto& container : containers())
    if (container.way == Way::mpiio) list.emplace_back(container.name);
  return list;
}

}  // namespace

TEST_CASE("without_parallel_netcdf_the_mpiio_way_is_refused_by_its_name" * doctest::skip(built)) {
  CHECK(names().empty());
  for (const char* name : {"netcdf4", "cdf5", "zarr"}) {
    CHECK_THROWS_WITH_AS(find_container(name, "mpiio"),
                         "[io]: way = \"mpiio\" is not there, because Thalweg was built without "
                         "parallel netCDF; choose way = \"direct\"",
                         Error);
  }
}

TEST_SUITE_BEGIN("by MPI-IO" * doctest::skip(!built));

TEST_CASE("files_by_mpi_io_hold_every_value_however_the_pieces_are_dealt") {
  const SharedDirectory folder;
  REQUIRE_FALSE(names().empty());
  for (const auto& name : names()) {
    for (const std::string by : {"fields", "levels", "points"}) {
      for (const bool float64 : {false, true}) {
        CAPTURE(name);
        CAPTURE(by);
        auto file =
            description_of(fs::path(folder.path) / fmt::format("{}_{}_{}.nc", name, by, float64));
        file.float64 = float64;
        file.fields[0].type = float64 ? ValueType::int64 : ValueType::int32;
        write_file(name, file, by);
        CHECK_FALSE(fs::exists(file.path + ".part"));
        if (world_rank() == 0) CHECK(wrong_values(file) == 0);
      }
    }
  }
}

TEST_CASE("chunked_and_deflated_files_by_mpi_io_hold_every_value") {
  const SharedDirectory folder;
  for (const std::string by : {"fields", "levels", "points"}) {
    for (const bool chunked : {false, true}) {
      for (const std::string compression : {"none", "deflate"}) {
        CAPTURE(by);
        CAPTURE(chunked);
        CAPTURE(compression);
        auto file = description_of(fs::path(folder.path) /
                                   fmt::format("{}_{}_{}.nc", by, chunked, compression));
        file.chunked = chunked;
        file.compression.codec = compression;
        write_file("netcdf4", file, by);
        if (world_rank() == 0) CHECK(wrong_values(file) == 0);
      }
    }
  }
}

TEST_CASE("a_file_that_is_gone_is_refused_on_every_rank_before_the_collective_calls") {
  const SharedDirectory folder;
  for (const auto& name : names()) {
    CAPTURE(name);
    auto file = description_of(fs::path(folder.path) / "gone.nc");
    const auto container = open_file(name, file);
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank() == 0) fs::remove(file.path + ".part");
    MPI_Barrier(MPI_COMM_WORLD);
    const std::vector<float> values(cells, 1.0F);
    if (world_rank() == 0) container->put({0, 0, 1, 0, cells}, 0, values.data());
    const auto answer = carry(*container, 0);
    try {
      container->settle(0, answer);
      FAIL("was written");
    } catch (const Error& error) {
      CHECK(error.blame() == Blame::file_system);
      CHECK(std::string(error.what()).find("cannot write '" + file.path) == 0);
    }
    container->abandon();
    CHECK_FALSE(fs::exists(file.path));
  }
}

TEST_CASE("a_time_that_the_disk_has_no_room_for_is_refused_before_the_collective_calls") {
  const SharedDirectory folder;
  for (const std::string codec : {"none", "deflate"}) {
    CAPTURE(codec);
    auto file = description_of(fs::path(folder.path) / (codec + ".nc"));
    file.chunked = true;
    file.compression.codec = codec;
    const auto container = open_file("netcdf4", file);
    if (world_rank() == 0) {
      const auto size = fs::file_size(file.path + ".part");
      rlimit before{};
      getrlimit(RLIMIT_FSIZE, &before);
      const rlimit little{size + 1000, before.rlim_max};
      setrlimit(RLIMIT_FSIZE, &little);
      const auto answers = container->grant(0, {"1000 1 1 1", "1000 1 1 0"});
      setrlimit(RLIMIT_FSIZE, &before);
      REQUIRE(answers.size() == 2);
      CHECK(answers[0] == answers[1]);
      CHECK(answers[0].find("!cannot reserve room") == 0);
      CHECK(answers[0].find("ulimit -f") != std::string::npos);
      CHECK(container->grant(0, {"1000 1 0 1", "1000 1 2 0"}) ==
            std::vector<std::string>(2, "1 2 1"));
      CHECK(fs::file_size(file.path + ".part") == size);
    }
    container->abandon();
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

TEST_CASE("a_file_of_fixed_size_has_its_room_before_values_come") {
  const SharedDirectory folder;
  for (const auto& name : names()) {
    CAPTURE(name);
    auto file = description_of(fs::path(folder.path) / (name + "_room.nc"));
    const auto container = open_file(name, file);
    if (world_rank() == 0) {
      struct stat now {};
      REQUIRE(stat((file.path + ".part").c_str(), &now) == 0);
      const auto values = 3 * (cells + levels * (cells + edges));
      CHECK(now.st_size >= values * static_cast<std::int64_t>(sizeof(float)));
      CHECK(now.st_blocks * 512 >= now.st_size);
    }
    container->abandon();
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

TEST_CASE("what_the_disk_refuses_is_refused_on_every_rank_though_mpi_io_tells_nobody") {
  // After it, OMPIO 4.1 refuses to sync files of other tests where there are more ranks.
  if (world_size() > 2) return;
  const SharedDirectory folder;
  for (const auto& name : names()) {
    CAPTURE(name);
    auto file = description_of(fs::path(folder.path) / (name + "_cut.nc"));
    const auto dealt = deal(file, "points", world_size());
    for (const auto& pieces : dealt)
      file.pieces.insert(file.pieces.end(), pieces.begin(), pieces.end());
    const auto container = open_file(name, file);
    for (const auto& piece : dealt[world_rank()])
      if (file.type_of(file.fields[piece.field]) == ValueType::float32)
        put_in_slabs<float>(*container, piece, 0);
    const auto answer = carry(*container, 0);
    const auto said = said_under_limit(*container, answer, 8192);  // enough for the lock of OMPIO
    CHECK(said.find("cannot write") == 0);
    const int knows_why = said.find("limit of file sizes") == std::string::npos ? 0 : 1;
    int one_knows = 0;
    MPI_Allreduce(&knows_why, &one_knows, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK(one_knows == 1);
    container->abandon();
    CHECK_FALSE(fs::exists(file.path));
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

TEST_CASE("a_write_that_the_disk_took_in_part_is_refused_though_no_call_failed") {
  if (world_size() > 2) return;  // as above
  const SharedDirectory folder;
  for (const std::string name : {"cdf5", "netcdf4"}) {
    if (std::find(names().begin(), names().end(), name) == names().end()) continue;
    for (const int behind : {4, 1000, 3004}) {  // bytes of the time that are beyond the limit
      CAPTURE(name);
      CAPTURE(behind);
      auto file = description_of(fs::path(folder.path) / fmt::format("{}_{}.nc", name, behind));
      file.times_s = {0.0}, file.steps = {0};
      const auto container = open_file(name, file);
      const auto& format = name == "cdf5" ? cdf5_format() : netcdf4_format();
      const auto layout = format.look(file, file.path + ".part");
      std::int64_t end = 0;
      for (const auto& field : layout.fields) end = std::max(end, field.offset + field.time_stride);
      MPI_Barrier(MPI_COMM_WORLD);
      const auto dealt = deal(file, "points", world_size());
      for (const auto& piece : dealt[world_rank()]) put_in_slabs<float>(*container, piece, 0);
      const auto answer = carry(*container, 0);
      CHECK(said_under_limit(*container, answer, end - behind).find("cannot write") == 0);
      container->abandon();
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
}

TEST_CASE("the_record_names_the_layer_and_the_hints_that_the_open_file_tells") {
  const SharedDirectory folder;
  const auto path = folder.path;
  write_mpi_io_record(MPI_COMM_WORLD, path);  // what other tests left
  for (const auto& name : names()) {
    auto file = description_of(fs::path(folder.path) / "hints.nc");
    file.hints = {{"cb_nodes", "1"}, {"romio_cb_write", "disable"}};
    write_file(name, file, "points");
    if (world_rank() == 0) CHECK(wrong_values(file) == 0);
  }
  write_mpi_io_record(MPI_COMM_WORLD, path);
  if (world_rank() != 0) return;
  const auto files = nlohmann::json::parse(std::ifstream(path + "/mpi_io.json")).at("files");
  REQUIRE(files.size() == names().size());
  for (const auto& file : files) {
    CHECK(file.at("layer") == mpi_io_layer(path).name);
    CHECK(file.at("asked").at("cb_nodes") == "1");
    CHECK(file.at("reported").at("cb_nodes") == "1");
    CHECK(file.at("ranks") == world_size());
    CHECK(file.at("files") == 1);
  }
}

TEST_CASE("the_mpiio_way_refuses_what_it_cannot_do") {
  auto file = description_of("here.nc");
  file.compression.codec = "zstd";
  for (const auto& name : names())
    CHECK_THROWS_AS(check_file(find_container(name, "mpiio"), file), Error);
  CHECK_THROWS_AS(find_container("zarr", "mpiio"), Error);
}

TEST_SUITE_END();
