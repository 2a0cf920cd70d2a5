// SPDX-License-Identifier: Apache-2.0
// Teams of ranks write files of fixed layout piece by piece; netCDF-C and plain reads see the same.
#include "format/fixed_layout.hpp"

#include <doctest/doctest.h>
#include <netcdf.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "all_ranks.hpp"
#include "format/netcdf/classic_header.hpp"
#include "thalweg/decomposition.hpp"
#include "thalweg/error.hpp"

using namespace thalweg;
namespace fs = std::filesystem;

namespace {

const Grid grid = Grid::parse("R2B1");  // 320 cells, 480 edges, 162 vertices

FileDescription describe(const std::string& path, bool float64) {
  FileDescription file;
  file.path = path;
  file.fields = {{"deep", "air_temperature", "layered", "K", Place::cell, 5, ValueType::float64},
                 {"wide", "", "on edges", "m s-1", Place::edge, 5, ValueType::float64},
                 {"flat", "", "of one level", "1", Place::vertex, 1, ValueType::float64}};
  file.level_numbers = {1, 2, 4, 7, 9};
  file.sizes = {grid.cells(), grid.edges(), grid.vertices()};
  file.times_s = {0.0, 600.0, 1200.0};
  file.steps = {4, 5, 6};
  file.start_date = "2000-01-01T00:00:00Z";
  file.grid = grid.name();
  file.attributes = {{"title", "a title"}};
  file.history = "made by a test";
  file.float64 = float64;
  return file;
}

/// Held exactly by float32.
double value_at(int field, int time, int level, std::int64_t point) {
  return 65536.0 * field + 16384.0 * time + 1024.0 * level + static_cast<double>(point) + 0.25;
}

template <class Value>
void put_piece(Container& file, const Piece& piece, int time, bool big_endian) {
  std::vector<Value> values;
  for (int level = 0; level < piece.levels; ++level) {
    for (std::int64_t point = 0; point < piece.points; ++point) {
      auto value = static_cast<Value>(
          value_at(piece.field, time, piece.first_level + level, piece.first_point + point));
      auto* bytes = reinterpret_cast<unsigned char*>(&value);
      if (big_endian) std::reverse(bytes, bytes + sizeof value);
      values.push_back(value);
    }
  }
  file.put(piece, time, values.data());
}

/// What one rank of a team writes: of the first field levels, of the others points.
std::vector<Piece> pieces_of(const FileDescription& file, int rank, int ranks) {
  std::vector<Piece> pieces;
  for (int field = 0; field < static_cast<int>(file.fields.size()); ++field) {
    const auto& info = file.fields[field];
    const auto points = file.sizes[info.place];
    if (field == 0) {
      const int begin = info.levels * rank / ranks, end = info.levels * (rank + 1) / ranks;
      if (end > begin) pieces.push_back({field, begin, end - begin, 0, points});
    } else {
      const auto begin = points * rank / ranks, end = points * (rank + 1) / ranks;
      pieces.push_back({field, 0, info.levels, begin, end - begin});
    }
  }
  return pieces;
}

/// All ranks of the world write the file together.
void write_together(const ContainerInfo& format, const FileDescription& description) {
  std::string layout(4096, '\0');
  std::unique_ptr<Container> file;
  if (world_rank() == 0) {
    file = format.create(description, MPI_COMM_WORLD);
    const auto text = file->layout();
    REQUIRE(text.size() < layout.size());
    std::copy(text.begin(), text.end(), layout.begin());
  }
  MPI_Bcast(layout.data(), static_cast<int>(layout.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
  if (world_rank() != 0) file = format.join(description, layout.c_str(), MPI_COMM_WORLD);
  for (int time = static_cast<int>(description.times_s.size()) - 1; time >= 0; --time) {
    for (const auto& piece : pieces_of(description, world_rank(), world_size())) {
      description.float64 ? put_piece<double>(*file, piece, time, format.big_endian)
                          : put_piece<float>(*file, piece, time, format.big_endian);
    }
  }
  if (world_rank() != 0) file->close();
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank() == 0) {
    CHECK_FALSE(fs::exists(description.path));
    file->close();
  }
}

/// A netCDF file read by netCDF-C.
struct File {
  int ncid = -1;
  explicit File(const std::string& path) {
    REQUIRE(nc_open(path.c_str(), NC_NOWRITE, &ncid) == NC_NOERR);
  }
  ~File() { nc_close(ncid); }
  int id(const char* name) const {
    int id = NC_GLOBAL;
    if (*name != '\0') REQUIRE_MESSAGE(nc_inq_varid(ncid, name, &id) == NC_NOERR, name);
    return id;
  }
  bool has(const char* name) const {
    int id = -1;
    return nc_inq_varid(ncid, name, &id) == NC_NOERR;
  }
  std::vector<double> read(const char* name) const {
    int dimensions = 0, dimension[3];
    nc_inq_varndims(ncid, id(name), &dimensions);
    nc_inq_vardimid(ncid, id(name), dimension);
    std::size_t size = 1;
    for (int i = 0; i < dimensions; ++i) {
      std::size_t length = 0;
      nc_inq_dimlen(ncid, dimension[i], &length);
      size *= length;
    }
    std::vector<double> values(size);
    REQUIRE(nc_get_var_double(ncid, id(name), values.data()) == NC_NOERR);
    return values;
  }
  std::string text(const char* variable, const char* name) const {
    std::size_t size = 0;
    if (nc_inq_attlen(ncid, id(variable), name, &size) != NC_NOERR) return "";
    std::string value(size, '\0');
    nc_get_att_text(ncid, id(variable), name, value.data());
    return value;
  }
  double number(const char* name) const {
    double value = -1.0;
    REQUIRE(nc_get_att_double(ncid, NC_GLOBAL, name, &value) == NC_NOERR);
    return value;
  }
};

template <class Value>
std::vector<double> read_raw(const std::string& path, std::int64_t offset, std::size_t size) {
  std::ifstream file(path, std::ios::binary);
  file.seekg(offset);
  std::vector<Value> values(size);
  file.read(reinterpret_cast<char*>(values.data()),
            static_cast<std::streamsize>(size * sizeof(Value)));
  REQUIRE(file.good());
  return {values.begin(), values.end()};
}

std::vector<double> read_field(const std::string& container, const FileDescription& file,
                               std::size_t field) {
  if (container != "raw") return File(file.path).read(file.fields[field].name.c_str());
  const auto json = nlohmann::json::parse(std::ifstream(file.path + ".json"));
  CHECK(json.at("time").at("values") == file.times_s);
  const auto& entry = json.at("fields").at(field);
  CHECK(entry.at("name") == file.fields[field].name);
  CHECK(entry.at("type") == (file.float64 ? "float64" : "float32"));
  const std::vector<std::size_t> shape = entry.at("shape");
  const auto size = shape.at(0) * shape.at(1) * shape.at(2);
  return file.float64 ? read_raw<double>(file.path, entry.at("offset"), size)
                      : read_raw<float>(file.path, entry.at("offset"), size);
}

/// Values that are not as put.
std::size_t count_wrong(const std::string& container, const FileDescription& file) {
  std::size_t wrong = 0;
  for (int field = 0; field < static_cast<int>(file.fields.size()); ++field) {
    const auto& info = file.fields[field];
    const auto points = file.sizes[info.place];
    const auto values = read_field(container, file, field);
    REQUIRE(values.size() == file.times_s.size() * info.levels * points);
    std::size_t next = 0;
    for (int time = 0; time < static_cast<int>(file.times_s.size()); ++time) {
      for (int level = 0; level < info.levels; ++level) {
        for (std::int64_t point = 0; point < points; ++point) {
          wrong += values[next++] != value_at(field, time, level, point) ? 1 : 0;
        }
      }
    }
  }
  return wrong;
}

const char* const fixed_containers[] = {"netcdf4", "cdf5", "classic", "raw"};

}  // namespace

TEST_CASE("a_team_writes_disjoint_pieces_of_one_file_in_every_fixed_layout") {
  for (const std::string name : fixed_containers) {
    for (const bool float64 : {false, true}) {
      CAPTURE(name);
      CAPTURE(float64);
      const SharedDirectory directory;
      const auto& format = find_container(name, "direct");
      const auto description = describe(directory.path + "/f" + format.suffix, float64);
      check_file(format, description);
      write_together(format, description);
      if (world_rank() != 0) continue;
      CHECK(count_wrong(name, description) == 0);
      const auto files = std::distance(fs::directory_iterator(directory.path), {});
      CHECK(files == (name == "raw" ? 2 : 1));  // none under an aside name
    }
  }
}

TEST_CASE("every_netcdf_kind_carries_the_same_description") {
  const std::pair<const char*, int> kinds[] = {{"netcdf4", NC_FORMAT_NETCDF4},
                                               {"cdf5", NC_FORMAT_CDF5},
                                               {"classic", NC_FORMAT_64BIT_OFFSET}};
  for (const auto& [name, kind] : kinds) {
    CAPTURE(name);
    const SharedDirectory directory;
    const auto description = describe(directory.path + "/f.nc", false);
    write_together(find_container(name, "direct"), description);
    if (world_rank() != 0) continue;
    const File file(description.path);
    int stored = 0;
    nc_inq_format(file.ncid, &stored);
    CHECK(stored == kind);
    CHECK(file.text("", "Conventions") == "CF-1.11 UGRID-1.0");
    CHECK(file.text("", "title") == "a title");
    CHECK(file.text("", "history") == "made by a test");
    CHECK(file.text("", "grid_name") == "R2B1");
    CHECK(file.text("deep", "standard_name") == "air_temperature");
    CHECK(file.text("wide", "units") == "m s-1");
    CHECK(file.text("wide", "location") == "edge");
    CHECK(file.text("flat", "coordinates") == "vlon vlat");
    CHECK(file.text("time", "units") == "seconds since 2000-01-01 00:00:00");
    CHECK(file.read("time") == description.times_s);
    CHECK(file.read("level") == std::vector<double>{1, 2, 4, 7, 9});
    const Mesh mesh = build_mesh(Decomposition(grid, 1, "curve"), 0, 0);
    const auto nodes = file.read("face_nodes");
    const auto latitude = file.read("clat");
    std::size_t wrong = 0;
    for (std::size_t cell = 0; cell < mesh.cell_vertices.size(); ++cell) {
      for (std::size_t j = 0; j < 3; ++j) {
        wrong += nodes[3 * cell + j] != mesh.cell_vertices[cell][j] ? 1 : 0;
      }
      wrong += std::abs(latitude[cell] * 0.017453292519943295 -
                        latitude_rad(mesh.cell_centre[cell])) > 1e-12
                   ? 1
                   : 0;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("large_variables_begin_at_pages") {
  const SharedDirectory directory;
  if (world_rank() != 0) return;
  auto description = describe(directory.path + "/f.nc", true);
  description.times_s.assign(64, 0.0);
  description.steps.assign(64, 0);
  for (const char* name : {"netcdf4", "cdf5", "classic"}) {
    CAPTURE(name);
    const auto file = find_container(name, "direct").create(description, MPI_COMM_SELF);
    const std::int64_t first = std::stoll(file->layout());
    CHECK(first % 4096 == 0);
    if (std::string(name) != "netcdf4") {
      CHECK(classic_variables(description.path + ".part").at("deep").begin == first);
    }
  }
}

TEST_CASE("a_file_of_a_part_of_the_grid_has_its_coordinates_and_says_which_part") {
  const SharedDirectory directory;
  if (world_rank() != 0) return;
  const Mesh mesh = build_mesh(Decomposition(grid, 1, "curve"), 0, 0);
  for (const std::string name : fixed_containers) {
    CAPTURE(name);
    const auto& format = find_container(name, "direct");
    auto description = describe(directory.path + "/f" + format.suffix, false);
    description.global_sizes = description.sizes;
    description.first_points = {100, 200, 60};
    description.sizes = {100, 180, 50};
    auto file = format.create(description, MPI_COMM_SELF);
    for (int time = 0; time < 3; ++time) {
      for (const auto& piece : pieces_of(description, 0, 1)) {
        put_piece<float>(*file, piece, time, format.big_endian);
      }
    }
    file->close();
    CHECK(count_wrong(name, description) == 0);
    if (name == "raw") {
      const auto json = nlohmann::json::parse(std::ifstream(description.path + ".json"));
      CHECK(json.at("places").at("edge").at("first") == 200);
      CHECK(json.at("places").at("edge").at("global_size") == 480);
      continue;
    }
    const File part(description.path);
    CHECK(part.number("cell_first") == 100);
    CHECK(part.number("edge_global_size") == 480);
    CHECK(part.number("vertex_first") == 60);
    CHECK_FALSE(part.has("mesh"));
    CHECK_FALSE(part.has("face_nodes"));
    CHECK(part.text("wide", "mesh").empty());
    CHECK(part.text("wide", "coordinates") == "elon elat");
    const auto clon = part.read("clon"), elat = part.read("elat"), vlat = part.read("vlat");
    REQUIRE(clon.size() == 100);
    REQUIRE(elat.size() == 180);
    REQUIRE(vlat.size() == 50);
    const double degree = 0.017453292519943295;
    CHECK(clon[3] * degree == doctest::Approx(longitude_rad(mesh.cell_centre[103])));
    CHECK(elat[7] * degree == doctest::Approx(latitude_rad(mesh.edge_centre[207])));
    CHECK(vlat[49] * degree == doctest::Approx(latitude_rad(mesh.vertex_position[109])));
  }
}

TEST_CASE("a_limit_of_file_size_is_one_sentence_and_leaves_aside_names_only") {
  const SharedDirectory directory;
  if (world_rank() != 0) return;
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  for (const std::string name : fixed_containers) {
    for (const rlim_t limit_bytes : {rlim_t{16}, rlim_t{40'000}}) {
      CAPTURE(name);
      CAPTURE(limit_bytes);
      const auto& format = find_container(name, "direct");
      const auto description = describe(directory.path + "/f" + format.suffix, false);
      const rlimit small{limit_bytes, before.rlim_max};
      std::string sentence;
      REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
      try {
        format.create(description, MPI_COMM_SELF);
      } catch (const Error& error) {
        sentence = error.what();
        CHECK(error.blame() == Blame::file_system);
      }
      setrlimit(RLIMIT_FSIZE, &before);
      CAPTURE(sentence);
      CHECK(sentence.find(description.path) != std::string::npos);
      CHECK_FALSE(fs::exists(description.path));
      CHECK_FALSE(fs::exists(description.path + ".json"));
    }
  }
}

TEST_CASE("fixed_layouts_refuse_what_they_cannot_hold") {
  auto description = describe("f.nc", false);
  description.compression.codec = "deflate";
  for (const char* name : {"cdf5", "classic"}) {
    CHECK_THROWS_WITH_AS(
        check_file(find_container(name, "direct"), description),
        doctest::Contains("cannot be compressed by 'deflate'; choose compression = none, "
                          "or one of containers netcdf4 (direct), zarr (direct)"),
        Error);
  }
  CHECK_THROWS_AS(check_file(find_container("raw", "direct"), description), Error);
  CHECK_NOTHROW(check_file(find_container("netcdf4", "direct"), description));
  description.compression.level = 10;
  CHECK_THROWS_WITH_AS(check_file(find_container("netcdf4", "direct"), description),
                       doctest::Contains("1 to 9, not 10"), Error);
  description.compression.codec = "ccsds";
  CHECK_THROWS_WITH_AS(check_file(find_container("netcdf4", "direct"), description),
                       doctest::Contains("'ccsds'"), Error);
  description.compression.codec = "none";
  description.chunked = true;
  CHECK_THROWS_WITH_AS(check_file(find_container("cdf5", "direct"), description),
                       doctest::Contains("has no chunks"), Error);
  description.chunked = false;
  description.sizes = {83'886'080, 125'829'120, 41'943'042};  // R2B10
  CHECK_THROWS_WITH_AS(check_file(find_container("classic", "direct"), description),
                       doctest::Contains("'deep' takes 4.7 GiB"), Error);
  CHECK_NOTHROW(check_file(find_container("cdf5", "direct"), description));
  CHECK_THROWS_WITH_AS(find_container("cdf4", "direct"), doctest::Contains("Did you mean 'cdf5'"),
                       Error);
}

TEST_CASE("a_piece_outside_of_its_field_is_refused") {
  const SharedDirectory directory;
  if (world_rank() != 0) return;
  const auto description = describe(directory.path + "/f.raw", true);
  const auto file = find_container("raw", "direct").create(description, MPI_COMM_SELF);
  const std::vector<double> values(1000);
  CHECK_THROWS_AS(file->put({0, 4, 2, 0, 320}, 0, values.data()), Error);
  CHECK_THROWS_AS(file->put({0, 0, 1, 300, 21}, 0, values.data()), Error);
  CHECK_THROWS_AS(file->put({0, 0, 1, 0, 320}, 3, values.data()), Error);
  CHECK_NOTHROW(file->put({0, 4, 1, 300, 20}, 2, values.data()));
}
