// SPDX-License-Identifier: Apache-2.0
// Every mode and transport writes the values that were put, on any number of ranks.
#include "thalweg/output.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <numeric>

#include "format/netcdf_calls.hpp"
#include "thalweg/error.hpp"

using namespace thalweg;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t cell_count = 1000, vertex_count = 502;
constexpr int levels = 5;

double value_at(std::int64_t point, int level, double time_s) {
  return static_cast<double>(point) + 0.25 * level + time_s;
}

// A directory made by rank 0 and known to all.
struct SharedDirectory {
  std::string path = std::string(256, '\0');
  SharedDirectory() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
      const auto name =
          (fs::temp_directory_path() / fmt::format("thalweg_output_{}", getpid())).string();
      fs::create_directories(name);
      std::copy(name.begin(), name.end(), path.begin());
    }
    MPI_Bcast(path.data(), 256, MPI_CHAR, 0, MPI_COMM_WORLD);
    path = path.c_str();
  }
  ~SharedDirectory() {
    MPI_Barrier(MPI_COMM_WORLD);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) fs::remove_all(path);
    MPI_Barrier(MPI_COMM_WORLD);
  }
};

// Points dealt in stretches of 7, so that parts lie scattered in global order.
std::vector<std::int64_t> dealt(std::int64_t size, int part, int parts) {
  std::vector<std::int64_t> mine;
  for (std::int64_t point = 0; point < size; ++point) {
    if ((point / 7) % parts == part) mine.push_back(point);
  }
  return mine;
}

// A model of two fields, one level-innermost and one level-outermost, over the times 0, 10, 20, 30
// s.
void run_model(Output& output, const std::vector<StreamSettings>& streams) {
  int part = 0, parts = 1;
  MPI_Comm_rank(output.compute_comm(), &part);
  MPI_Comm_size(output.compute_comm(), &parts);
  const auto cells = dealt(cell_count, part, parts);
  const auto vertices = dealt(vertex_count, part, parts);
  const std::vector<OwnedPoints> owned{{Place::cell, cell_count, cells},
                                       {Place::vertex, vertex_count, vertices}};
  output.define(owned);
  output.define(FieldInfo{"deep", "", "layered field", "1", Place::cell, levels});
  output.define(FieldInfo{"flat", "", "field of one level", "1", Place::vertex, 1});
  for (const auto& stream : streams) output.define(stream);
  for (double time_s = 0.0; time_s < 35.0; time_s += 5.0) {
    if (output.due(time_s)) {
      std::vector<double> deep(cells.size() * levels), flat(vertices.size());
      for (std::size_t point = 0; point < cells.size(); ++point) {
        for (int level = 0; level < levels; ++level) {
          deep[point * levels + static_cast<std::size_t>(level)] =
              value_at(cells[point], level, time_s);
        }
      }
      for (std::size_t point = 0; point < vertices.size(); ++point) {
        flat[point] = value_at(vertices[point], 0, time_s);
      }
      output.put("deep", {deep.data(), levels, 1}, time_s);
      output.put("flat", {flat.data(), 1, 0}, time_s);
      output.end_time(time_s);
    }
    output.check();
  }
  output.close();
}

void check_file(const std::string& path, const std::vector<double>& times_s,
                const std::vector<int>& chosen) {
  int ncid = -1, variable = -1;
  REQUIRE(nc_open(path.c_str(), NC_NOWRITE, &ncid) == NC_NOERR);
  const auto points = static_cast<std::size_t>(cell_count);
  std::vector<double> deep(times_s.size() * chosen.size() * points);
  REQUIRE(nc_inq_varid(ncid, "deep", &variable) == NC_NOERR);
  REQUIRE(nc_get_var_double(ncid, variable, deep.data()) == NC_NOERR);
  std::size_t wrong = 0, next = 0;
  for (const double time_s : times_s) {
    for (const int level : chosen) {
      for (std::int64_t point = 0; point < cell_count; ++point) {
        wrong += deep[next++] != value_at(point, level, time_s) ? 1 : 0;
      }
    }
  }
  CHECK(wrong == 0);
  std::vector<double> flat(times_s.size() * static_cast<std::size_t>(vertex_count));
  REQUIRE(nc_inq_varid(ncid, "flat", &variable) == NC_NOERR);
  REQUIRE(nc_get_var_double(ncid, variable, flat.data()) == NC_NOERR);
  CHECK(flat.back() == value_at(vertex_count - 1, 0, times_s.back()));
  nc_close(ncid);
}

}  // namespace

TEST_CASE("every_mode_and_transport_writes_what_was_put") {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  struct Way {
    const char *mode, *transport;
    int io_ranks;
  };
  std::vector<Way> ways{{"serial", "auto", 0}};
  for (const char* transport : {"rma", "two_sided", "auto"}) {
    if (size > 1) ways.push_back({"async", transport, 1});
    if (size > 2) ways.push_back({"async", transport, 2});
  }
  for (const auto& way : ways) {
    for (const char* layout : {"contiguous", "chunked"}) {
      const SharedDirectory directory;
      StreamSettings whole;
      whole.name = "whole";
      whole.interval_s = 10.0;
      whole.end_s = 30.0;
      whole.partitions = 2;
      whole.layout = layout;
      StreamSettings some = whole;
      some.name = "some";
      some.partitions = 1;
      some.start_s = 10.0;
      some.file_interval_s = 20.0;
      some.levels = {2, 5};
      some.precision = "float64";
      OutputSettings settings;
      settings.mode = way.mode;
      settings.transport = way.transport;
      settings.io_ranks = way.io_ranks;
      settings.directory = directory.path;
      auto output = Output::open(MPI_COMM_WORLD, settings);
      if (output.is_compute_rank()) {
        run_model(output, {whole, some});
        CHECK(output.outputs_written() == 4 + 3);
      } else {
        output.serve();
      }
      MPI_Barrier(MPI_COMM_WORLD);
      if (rank == 0) {
        CAPTURE(way.mode);
        CAPTURE(way.transport);
        check_file(directory.path + "/whole_p1of2_20000101T000000Z.nc", {0.0, 20.0},
                   {0, 1, 2, 3, 4});
        check_file(directory.path + "/whole_p2of2_20000101T000010Z.nc", {10.0, 30.0},
                   {0, 1, 2, 3, 4});
        check_file(directory.path + "/some_20000101T000010Z.nc", {10.0, 20.0}, {1, 4});
        check_file(directory.path + "/some_20000101T000030Z.nc", {30.0}, {1, 4});
        CHECK(std::distance(fs::directory_iterator(directory.path), fs::directory_iterator{}) == 4);
      }
    }
  }
}

TEST_CASE("a_failing_writer_ends_all_ranks_with_its_sentence_and_no_final_name") {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const SharedDirectory directory;
  for (const bool async : {false, true}) {
    if (async && size == 1) continue;
    OutputSettings settings;
    settings.mode = async ? "async" : "serial";
    settings.io_ranks = async ? 1 : 0;
    settings.directory = directory.path + "/is/not/there";
    StreamSettings stream;
    stream.interval_s = 10.0;
    stream.end_s = 30.0;
    auto output = Output::open(MPI_COMM_WORLD, settings);
    std::string sentence;
    try {
      output.is_compute_rank() ? run_model(output, {stream}) : output.serve();
    } catch (const Error& error) {
      sentence = error.what();
      CHECK(error.exit_code() == 2);
    }
    CHECK(sentence.find("is/not/there' is not there") != std::string::npos);
    CHECK(fs::is_empty(directory.path));
  }
}

TEST_CASE("streams that cannot be written are refused before anything happens") {
  const std::vector<FieldInfo> fields{{"vor", "", "", "s-1", Place::cell, 30}};
  StreamSettings stream;
  stream.end_s = 3600.0;
  stream.variables = {"vorr"};
  CHECK_THROWS_WITH_AS(check_stream(stream, fields),
                       doctest::Contains("variable 'vorr' does not exist"), Error);
  stream.variables = {"all"};
  stream.place = "edge";
  CHECK_THROWS_WITH_AS(check_stream(stream, fields), doctest::Contains("place 'edge'"), Error);
  stream.place = "all";
  stream.levels = {1, 31};
  CHECK_THROWS_WITH_AS(check_stream(stream, fields), doctest::Contains("at most 30, but 31"),
                       Error);
  OutputSettings settings;
  settings.mode = "asynch";
  CHECK_THROWS_WITH_AS(check_output(settings, 4), doctest::Contains("Did you mean 'async'?"),
                       Error);
  settings.mode = "async";
  settings.io_ranks = 4;
  CHECK_THROWS_WITH_AS(check_output(settings, 4), doctest::Contains("leaves no compute rank"),
                       Error);
}
