// SPDX-License-Identifier: Apache-2.0
// Offsets read from classic headers lead to the values that netCDF-C wrote.
#include "format/netcdf/classic_header.hpp"

#include <doctest/doctest.h>
#include <netcdf.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "thalweg/error.hpp"

using namespace thalweg;
namespace fs = std::filesystem;

namespace {

/// A path of this rank, removed at the end.
struct Path {
  std::string name =
      (fs::temp_directory_path() / ("thalweg_header_" + std::to_string(getpid()) + ".nc")).string();
  ~Path() { fs::remove(name); }
};

double double_at(const std::string& path, std::int64_t offset) {
  std::ifstream file(path, std::ios::binary);
  file.seekg(offset);
  std::array<char, sizeof(double)> bytes{};
  file.read(bytes.data(), bytes.size());
  std::reverse(bytes.begin(), bytes.end());
  double value = 0.0;
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(&value));
  return value;
}

void write_file(const std::string& path, int kind) {
  int ncid = -1, dimensions[2], ids[3];
  REQUIRE(nc_create(path.c_str(), NC_CLOBBER | kind, &ncid) == NC_NOERR);
  nc_def_dim(ncid, "x", 7, &dimensions[0]);
  nc_def_dim(ncid, "longer_name", 3, &dimensions[1]);
  const signed char small[3] = {1, 2, 3};
  const short two[1] = {4};
  const double wide[2] = {5.0, 6.0};
  nc_put_att_schar(ncid, NC_GLOBAL, "b", NC_BYTE, 3, small);
  nc_put_att_short(ncid, NC_GLOBAL, "of_two", NC_SHORT, 1, two);
  nc_def_var(ncid, "a", NC_DOUBLE, 2, dimensions, &ids[0]);
  nc_put_att_double(ncid, ids[0], "range", NC_DOUBLE, 2, wide);
  nc_put_att_text(ncid, ids[0], "units", 5, "metre");
  nc_def_var(ncid, "scalar", NC_DOUBLE, 0, nullptr, &ids[1]);
  nc_def_var(ncid, "last", NC_DOUBLE, 1, &dimensions[1], &ids[2]);
  REQUIRE(nc__enddef(ncid, 100, 512, 0, 512) == NC_NOERR);
  for (int i = 0; i < 3; ++i) {
    const std::size_t start[2] = {0, 0};
    const double value = 10.5 + i;
    nc_put_var1_double(ncid, ids[i], start, &value);
  }
  REQUIRE(nc_close(ncid) == NC_NOERR);
}

}  // namespace

TEST_CASE("classic_offsets_lead_to_the_values_of_every_version") {
  for (const int kind : {0, NC_64BIT_OFFSET, NC_64BIT_DATA}) {
    CAPTURE(kind);
    const Path path;
    write_file(path.name, kind);
    const auto ranges = classic_variables(path.name);
    REQUIRE(ranges.size() == 3);
    CHECK(ranges.at("a").begin % 512 == 0);
    CHECK(double_at(path.name, ranges.at("a").begin) == 10.5);
    CHECK(double_at(path.name, ranges.at("scalar").begin) == 11.5);
    CHECK(double_at(path.name, ranges.at("last").begin) == 12.5);
    CHECK(fs::file_size(path.name) >= static_cast<std::uintmax_t>(ranges.at("last").end));
    CHECK(ranges.at("scalar").end == ranges.at("scalar").begin + 8);
  }
}

TEST_CASE("sizes_that_no_file_can_have_are_refused") {
  const Path path;
  write_file(path.name, NC_64BIT_DATA);
  const auto length_at = [](const std::string& bytes) {  // of "x", which is 7
    return bytes.find(std::string("\0\0\0\1x\0\0\0", 8)) + 8;
  };
  std::ifstream file(path.name, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  REQUIRE(bytes[length_at(bytes) + 7] == 7);
  for (const char highest : {'\x20', '\x10', '\x80', '\xff'}) {  // times 24 or 8 it is 0 or less
    bytes[length_at(bytes)] = highest;
    std::ofstream(path.name, std::ios::binary) << bytes;
    CHECK_THROWS_WITH_AS(classic_variables(path.name), doctest::Contains("not that of"), Error);
  }
}

TEST_CASE("headers_cut_short_and_other_files_are_refused") {
  const Path path;
  write_file(path.name, NC_64BIT_DATA);
  for (const std::uintmax_t bytes : {0, 3, 4, 40, 200}) {
    fs::resize_file(path.name, bytes);
    CHECK_THROWS_WITH_AS(classic_variables(path.name), doctest::Contains("not that of"), Error);
    write_file(path.name, NC_64BIT_DATA);
  }
  std::ofstream(path.name) << "\x89HDF and more";
  CHECK_THROWS_AS(classic_variables(path.name), Error);
  fs::remove(path.name);
  CHECK_THROWS_WITH_AS(classic_variables(path.name), doctest::Contains("cannot read"), Error);
}
