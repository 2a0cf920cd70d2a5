// SPDX-License-Identifier: Apache-2.0
// Facts about reading netCDF-4: every kind of storage gives the values that netCDF-C wrote.
#include "format/netcdf/netcdf4_reader.hpp"

#include <doctest/doctest.h>
#include <netcdf.h>
#include <netcdf_filter.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <vector>

#include "format/netcdf/hdf5_zstd.hpp"
#include "own_folder.hpp"
#include "thalweg/error.hpp"

using namespace thalweg;

namespace {

constexpr std::size_t times = 3, levels = 6, points = 5000;

template <class Value>
std::vector<Value> all_values() {
  std::vector<Value> values(times * levels * points);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<Value>(1000.0 * std::sin(static_cast<double>(i) / 37.0));
  return values;
}

/// Variables "ta" (time, level, cell) and "ps" (time, cell), stored as `store` says.
template <class Value>
std::string write(const OwnFolder& folder, nc_type type,
                  const std::function<void(int ncid, int variable, bool layered)>& store) {
  const auto path = (folder.path / "file.nc").string();
  int ncid = -1, dimension[3], ta = -1, ps = -1;
  REQUIRE(nc_create(path.c_str(), NC_NETCDF4 | NC_CLOBBER, &ncid) == NC_NOERR);
  nc_def_dim(ncid, "time", NC_UNLIMITED, &dimension[0]);
  nc_def_dim(ncid, "level", levels, &dimension[1]);
  nc_def_dim(ncid, "cell", points, &dimension[2]);
  const int flat[] = {dimension[0], dimension[2]};
  REQUIRE(nc_def_var(ncid, "ta", type, 3, dimension, &ta) == NC_NOERR);
  REQUIRE(nc_def_var(ncid, "ps", type, 2, flat, &ps) == NC_NOERR);
  store(ncid, ta, true);
  store(ncid, ps, false);
  const auto values = all_values<Value>();
  const std::size_t start[] = {0, 0, 0}, whole[] = {times, levels, points},
                    part[] = {times, points};
  REQUIRE(nc_put_vara(ncid, ta, start, whole, values.data()) == NC_NOERR);
  REQUIRE(nc_put_vara(ncid, ps, start, part, values.data()) == NC_NOERR);
  REQUIRE(nc_close(ncid) == NC_NOERR);
  return path;
}

template <class Value>
void check_file(const std::string& path) {
  const Netcdf4Reader reader(path);
  const auto field = reader.field("ta");
  CHECK(field.times == times);
  CHECK(field.levels == levels);
  CHECK(field.points == points);
  CHECK(field.value_bytes == sizeof(Value));
  CHECK(reader.field("ps").levels == 1);
  const auto wanted = all_values<Value>();
  for (std::size_t time = 0; time < times; ++time) {
    for (const auto& [first, count] : {std::pair{0, 6}, {2, 1}, {1, 4}, {5, 1}, {3, 0}}) {
      std::vector<Value> values(count * points, Value(-7));
      reader.read("ta", static_cast<std::int64_t>(time), first, count, values.data());
      const auto from = wanted.begin() + (time * levels + first) * points;
      CHECK(std::equal(values.begin(), values.end(), from));
    }
    std::vector<Value> flat(points);
    reader.read("ps", static_cast<std::int64_t>(time), 0, 1, flat.data());
    CHECK(std::equal(flat.begin(), flat.end(), wanted.begin() + time * points));
  }
}

/// Chunks of (time, level, point); the level is left out where there is none.
std::function<void(int, int, bool)> chunked(std::size_t chunk_times, std::size_t chunk_levels,
                                            std::size_t chunk_points, int shuffle, int deflate,
                                            unsigned extra_filter = 0) {
  return [=](int ncid, int variable, bool layered) {
    const std::size_t chunk[] = {chunk_times, layered ? chunk_levels : chunk_points, chunk_points};
    REQUIRE(nc_def_var_chunking(ncid, variable, NC_CHUNKED, chunk) == NC_NOERR);
    if (shuffle + deflate > 0)
      REQUIRE(nc_def_var_deflate(ncid, variable, shuffle, deflate, 2) == NC_NOERR);
    const unsigned level = 3;
    if (extra_filter == 32015)
      REQUIRE(nc_def_var_filter(ncid, variable, extra_filter, 1, &level) == NC_NOERR);
    if (extra_filter == 3)
      REQUIRE(nc_def_var_fletcher32(ncid, variable, NC_FLETCHER32) == NC_NOERR);
  };
}

}  // namespace

TEST_CASE("a_reader_gives_what_netcdf_wrote_in_every_storage") {
  register_hdf5_zstd();
  const OwnFolder folder;
  const struct {
    const char* what;
    std::function<void(int, int, bool)> store;
  } storages[] = {
      {"one level a chunk, shuffle and deflate", chunked(1, 1, points, 1, 1)},
      {"deflate alone", chunked(1, 1, points, 0, 1)},
      {"plain chunks", chunked(1, 1, points, 0, 0)},
      {"shuffle and zstd", chunked(1, 1, points, 1, 0, 32015)},
      {"several levels and parts of them, chunks over the edge", chunked(1, 4, 777, 1, 1)},
      {"several times in a chunk", chunked(2, 3, 1000, 1, 1)},
      {"shuffle alone", chunked(1, 1, points, 1, 0)},
      {"a filter that is not ours", chunked(1, 2, points, 1, 1, 3)},
      {"big-endian", [](int ncid, int variable, bool layered) {
         chunked(1, 1, points, 1, 1)(ncid, variable, layered);
         REQUIRE(nc_def_var_endian(ncid, variable, NC_ENDIAN_BIG) == NC_NOERR);
       }}};
  for (const auto& [what, store] : storages) {
    CAPTURE(what);
    check_file<float>(write<float>(folder, NC_FLOAT, store));
    check_file<double>(write<double>(folder, NC_DOUBLE, store));
  }
}

TEST_CASE("chunks_that_were_never_written_are_fill_values") {
  const OwnFolder folder;
  const auto path = (folder.path / "holes.nc").string();
  int ncid = -1, dimension[2], variable = -1;
  REQUIRE(nc_create(path.c_str(), NC_NETCDF4 | NC_CLOBBER, &ncid) == NC_NOERR);
  nc_def_dim(ncid, "time", NC_UNLIMITED, &dimension[0]);
  nc_def_dim(ncid, "cell", points, &dimension[1]);
  REQUIRE(nc_def_var(ncid, "ps", NC_FLOAT, 2, dimension, &variable) == NC_NOERR);
  chunked(1, 1, points, 1, 1)(ncid, variable, false);
  const std::vector<float> ones(points, 1.0F);
  const std::size_t start[] = {2, 0}, count[] = {1, points};
  REQUIRE(nc_put_vara_float(ncid, variable, start, count, ones.data()) == NC_NOERR);
  REQUIRE(nc_close(ncid) == NC_NOERR);
  const Netcdf4Reader reader(path);
  std::vector<float> values(points);
  reader.read("ps", 1, 0, 1, values.data());
  CHECK(values == std::vector<float>(points, NC_FILL_FLOAT));
  reader.read("ps", 2, 0, 1, values.data());
  CHECK(values == ones);
}

TEST_CASE("damaged_and_foreign_files_are_refused_with_their_names") {
  const OwnFolder folder;
  const auto path = write<float>(folder, NC_FLOAT, chunked(1, 1, points, 1, 1));
  const auto sentence = [](const std::function<void()>& call, Blame blame) -> std::string {
    try {
      call();
    } catch (const Error& error) {
      CHECK(error.blame() == blame);
      return error.what();
    }
    return "";
  };
  {
    const Netcdf4Reader reader(path);
    CHECK(sentence([&] { reader.field("tb"); }, Blame::user).find("'tb'") != std::string::npos);
    CHECK(sentence([&] { reader.field("level"); }, Blame::user).find(path) != std::string::npos);
    float value = 0;
    CHECK(sentence([&] { reader.read("ta", 3, 0, 1, &value); }, Blame::bug).find("time 3") !=
          std::string::npos);
  }
  // Turn some bytes in the middle of the values.
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(std::filesystem::file_size(path) / 2));
  const std::vector<char> rubbish(64, '\x5A');
  file.write(rubbish.data(), 64);
  file.close();
  const Netcdf4Reader reader(path);
  std::vector<float> values(levels * points);
  const auto read_all = [&] {
    for (std::int64_t time = 0; time < 3; ++time) {
      reader.read("ta", time, 0, levels, values.data());
      reader.read("ps", time, 0, 1, values.data());
    }
  };
  const auto told = sentence(read_all, Blame::file_system);
  CHECK(told.find(path) != std::string::npos);
  CHECK(told.find("damaged") != std::string::npos);

  const auto text = (folder.path / "text.nc").string();
  std::ofstream(text) << "no netCDF";
  CHECK(sentence([&] { Netcdf4Reader{text}; }, Blame::file_system).find(text) != std::string::npos);
}
