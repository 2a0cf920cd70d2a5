// SPDX-License-Identifier: Apache-2.0
// Rows that do not fit into a slab come to the file in parts, and are whole there.
#include <doctest/doctest.h>

#include <vector>

#include "all_ranks.hpp"
#include "format/netcdf/netcdf_calls.hpp"
#include "thalweg/output.hpp"

using namespace thalweg;

namespace {

// Eight levels of float64 are more than a slab.
constexpr std::int64_t points = 140'000;
constexpr int levels = 9;

double value_at(std::int64_t point, int level) { return static_cast<double>(point) + 1e6 * level; }

void write_once(const std::string& directory, const StreamSettings& stream) {
  OutputSettings settings;
  settings.mode = "shared_file";
  settings.directory = directory;
  auto output = Output::open(MPI_COMM_WORLD, settings);
  std::vector<std::int64_t> mine;
  for (std::int64_t point = 0; point < points; ++point) {
    if ((point / 1000) % world_size() == world_rank()) mine.push_back(point);
  }
  const std::vector<OwnedPoints> owned{{Place::cell, points, mine}};
  output.define(owned);
  output.define(FieldInfo{"deep", "", "", "1", Place::cell, levels});
  output.define(stream);
  std::vector<double> values;
  for (const auto point : mine) {
    for (int level = 0; level < levels; ++level) values.push_back(value_at(point, level));
  }
  output.put("deep", {values.data(), levels, 1}, 0.0);
  output.end_time(0.0);
  output.close();
}

std::size_t wrong_values(const std::string& path) {
  int ncid = -1, variable = -1;
  REQUIRE(nc_open(path.c_str(), NC_NOWRITE, &ncid) == NC_NOERR);
  std::vector<double> read(points * levels);
  REQUIRE(nc_inq_varid(ncid, "deep", &variable) == NC_NOERR);
  REQUIRE(nc_get_var_double(ncid, variable, read.data()) == NC_NOERR);
  nc_close(ncid);
  std::size_t wrong = 0, next = 0;
  for (int level = 0; level < levels; ++level) {
    for (std::int64_t point = 0; point < points; ++point) {
      wrong += read[next++] != value_at(point, level) ? 1 : 0;
    }
  }
  return wrong;
}

}  // namespace

TEST_CASE("rows_longer_than_a_slab_come_in_parts_and_are_whole_in_the_file") {
  for (const char* container : {"cdf5", "netcdf4"}) {
    CAPTURE(container);
    const SharedDirectory directory;
    StreamSettings stream;
    stream.end = 1.0;
    stream.container = container;
    stream.precision = "float64";
    write_once(directory.path, stream);
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank() == 0) {
      CHECK(wrong_values(directory.path + "/out_20000101T000000Z.nc") == 0);
    }
  }
}
