// SPDX-License-Identifier: Apache-2.0
// Facts about index files: netCDF-C reads the files of several writers through one.
#include "format/netcdf/virtual_dataset.hpp"

#include <doctest/doctest.h>
#include <netcdf.h>

#include <filesystem>

#include "own_folder.hpp"
#include "thalweg/error.hpp"

using namespace thalweg;
namespace fs = std::filesystem;

namespace {

float value_of(int field, int time, int level, std::int64_t point) {
  return static_cast<float>(point + 6000 * (level + 10 * (time + 10 * field)));
}

FileDescription whole_file(const fs::path& folder) {
  FileDescription file;
  file.path = (folder / "out.nc").string();
  file.fields = {{"ta", "air_temperature", "temperature", "K", Place::cell, 3, ValueType::float64},
                 {"ps", "", "pressure", "Pa", Place::vertex, 1, ValueType::float64}};
  file.level_numbers = {1, 2, 5};
  file.grid = "R2B2";
  const Grid grid = Grid::parse(file.grid);
  file.sizes = {grid.cells(), grid.edges(), grid.vertices()};
  file.times_s = {0.0, 3600.0};
  file.steps = {0, 1};
  file.start_date = "2000-01-01T00:00:00Z";
  file.history = "2026 thalweg_tests";
  return file;
}

FileDescription part_of(const FileDescription& whole, int number, int parts) {
  FileDescription part = whole;
  part.path.replace(part.path.size() - 3, 3, ".00" + std::to_string(number) + ".nc");
  part.global_sizes = whole.sizes;
  for (std::size_t place = 0; place < 3; ++place) {
    part.first_points[place] = whole.sizes[place] * number / parts;
    part.sizes[place] = whole.sizes[place] * (number + 1) / parts - part.first_points[place];
  }
  return part;
}

void write_part(const FileDescription& part) {
  const auto& info = find_container("netcdf4", "direct");
  const auto container = info.create(part, MPI_COMM_SELF);
  for (int time = 0; time < 2; ++time) {
    for (int field = 0; field < 2; ++field) {
      const Place place = part.fields[field].place;
      const Piece piece{field, 0, part.fields[field].levels, 0, part.sizes[place]};
      std::vector<float> values;
      for (int level = 0; level < piece.levels; ++level)
        for (std::int64_t point = 0; point < piece.points; ++point)
          values.push_back(value_of(field, time, level, part.first_points[place] + point));
      container->put(piece, time, values.data());
    }
    container->settle(time, container->grant(time, {container->request(time)}).at(0));
  }
  container->close();
}

std::vector<float> read(const std::string& path, const char* name, std::size_t size) {
  int ncid = -1, id = -1;
  REQUIRE(nc_open(path.c_str(), NC_NOWRITE, &ncid) == NC_NOERR);
  REQUIRE(nc_inq_varid(ncid, name, &id) == NC_NOERR);
  std::vector<float> values(size);
  CHECK(nc_get_var_float(ncid, id, values.data()) == NC_NOERR);
  nc_close(ncid);
  return values;
}

}  // namespace

TEST_CASE("an_index_shows_the_parts_as_one_file") {
  for (const std::string layout : {"contiguous", "chunked", "deflate"}) {
    CAPTURE(layout);
    const OwnFolder folder;
    FileDescription whole = whole_file(folder.path);
    whole.chunked = layout == "chunked";
    whole.compression.codec = layout == "deflate" ? "deflate" : "none";
    std::vector<FileDescription> parts;
    for (int i = 0; i < 3; ++i) write_part(parts.emplace_back(part_of(whole, i, 3)));
    write_virtual_dataset(whole, parts);
    CHECK_FALSE(fs::exists(whole.path + ".part"));
    // Wherever the folder goes, the parts are found beside the index.
    const fs::path moved = folder.path.string() + "_moved";
    fs::rename(folder.path, moved);
    const std::size_t cells = whole.sizes[0];
    const std::size_t vertices = whole.sizes[2];
    const auto ta = read((moved / "out.nc").string(), "ta", 2 * 3 * cells);
    const auto ps = read((moved / "out.nc").string(), "ps", 2 * vertices);
    fs::rename(moved, folder.path);
    for (std::size_t i = 0; i < ta.size(); ++i)
      REQUIRE(ta[i] == value_of(0, static_cast<int>(i / cells / 3), static_cast<int>(i / cells % 3),
                                static_cast<std::int64_t>(i % cells)));
    for (std::size_t i = 0; i < ps.size(); ++i)
      REQUIRE(ps[i] == value_of(1, static_cast<int>(i / vertices), 0,
                                static_cast<std::int64_t>(i % vertices)));
  }
}

TEST_CASE("variables_of_an_index_have_dimensions_attributes_and_a_fill_value") {
  const OwnFolder folder;
  const FileDescription whole = whole_file(folder.path);
  std::vector<FileDescription> parts;
  for (int i = 0; i < 2; ++i) write_part(parts.emplace_back(part_of(whole, i, 2)));
  write_virtual_dataset(whole, parts);
  fs::remove(parts[1].path);  // a reader must see that these points are missing
  int ncid = -1, id = -1, dimensions[3], rank = 0;
  REQUIRE(nc_open(whole.path.c_str(), NC_NOWRITE, &ncid) == NC_NOERR);
  REQUIRE(nc_inq_varid(ncid, "ta", &id) == NC_NOERR);
  REQUIRE(nc_inq_varndims(ncid, id, &rank) == NC_NOERR);
  REQUIRE(rank == 3);
  nc_inq_vardimid(ncid, id, dimensions);
  for (const std::string wanted : {"cell", "level", "time"}) {
    char name[NC_MAX_NAME + 1] = "";
    nc_inq_dimname(ncid, dimensions[--rank], name);
    CHECK(name == wanted);
  }
  char text[100] = "";
  REQUIRE(nc_get_att_text(ncid, id, "standard_name", text) == NC_NOERR);
  CHECK(std::string(text) == "air_temperature");
  REQUIRE(nc_get_att_text(ncid, id, "location", text) == NC_NOERR);
  float fill = 0;
  REQUIRE(nc_get_att_float(ncid, id, "_FillValue", &fill) == NC_NOERR);
  CHECK(fill == NC_FILL_FLOAT);
  std::vector<float> first(whole.sizes[0]);
  const std::size_t start[3] = {}, count[3] = {1, 1, first.size()};
  REQUIRE(nc_get_vara_float(ncid, id, start, count, first.data()) == NC_NOERR);
  CHECK(first[0] == value_of(0, 0, 0, 0));
  CHECK(first.back() == fill);
  nc_close(ncid);
}

TEST_CASE("an_index_needs_all_its_parts") {
  const OwnFolder folder;
  const FileDescription whole = whole_file(folder.path);
  std::vector<FileDescription> parts{part_of(whole, 0, 2), part_of(whole, 1, 2)};
  write_part(parts[0]);
  CHECK_THROWS_WITH_AS(write_virtual_dataset(whole, parts), doctest::Contains("out.001.nc"), Error);
  parts.pop_back();
  CHECK_THROWS_WITH_AS(write_virtual_dataset(whole, parts), doctest::Contains("every cell once"),
                       Error);
  CHECK_FALSE(fs::exists(whole.path));
}
