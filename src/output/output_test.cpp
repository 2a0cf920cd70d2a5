// SPDX-License-Identifier: Apache-2.0
// Every mode and transport writes the values that were put, on any number of ranks.
#include "thalweg/output.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <numeric>

#include "all_ranks.hpp"
#include "format/container.hpp"
#include "format/netcdf/netcdf_calls.hpp"
#include "thalweg/error.hpp"

using namespace thalweg;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t cell_count = 1000, vertex_count = 502;
constexpr int levels = 5;

double value_at(std::int64_t point, int level, double time_s) {
  return static_cast<double>(point) + 0.25 * level + time_s;
}

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
          deep[point * levels + level] = value_at(cells[point], level, time_s);
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

// Points [first, first + points of the file) of both fields.
void check_file(const std::string& path, const std::vector<double>& times_s,
                const std::vector<int>& chosen, std::int64_t first_cell = 0,
                std::int64_t first_vertex = 0) {
  CAPTURE(path);
  int ncid = -1, variable = -1, cell = -1, vertex = -1;
  REQUIRE(nc_open(path.c_str(), NC_NOWRITE, &ncid) == NC_NOERR);
  std::size_t cells = 0, vertices = 0;
  REQUIRE(nc_inq_dimid(ncid, "cell", &cell) == NC_NOERR);
  REQUIRE(nc_inq_dimid(ncid, "vertex", &vertex) == NC_NOERR);
  nc_inq_dimlen(ncid, cell, &cells);
  nc_inq_dimlen(ncid, vertex, &vertices);
  std::vector<double> deep(times_s.size() * chosen.size() * cells);
  REQUIRE(nc_inq_varid(ncid, "deep", &variable) == NC_NOERR);
  REQUIRE(nc_get_var_double(ncid, variable, deep.data()) == NC_NOERR);
  std::size_t wrong = 0, next = 0;
  for (const double time_s : times_s) {
    for (const int level : chosen) {
      for (std::size_t point = 0; point < cells; ++point) {
        const auto global = first_cell + static_cast<std::int64_t>(point);
        wrong += deep[next++] != value_at(global, level, time_s) ? 1 : 0;
      }
    }
  }
  CHECK(wrong == 0);
  std::vector<double> flat(times_s.size() * vertices);
  REQUIRE(nc_inq_varid(ncid, "flat", &variable) == NC_NOERR);
  REQUIRE(nc_get_var_double(ncid, variable, flat.data()) == NC_NOERR);
  CHECK(flat.back() ==
        value_at(first_vertex + static_cast<std::int64_t>(vertices) - 1, 0, times_s.back()));
  nc_close(ncid);
}

// A file of the stream, or the parts of it and the index over them.
void check_files(const std::string& begin, int parts, const std::vector<double>& times_s,
                 const std::vector<int>& chosen) {
  check_file(begin + ".nc", times_s, chosen);
  for (int part = 0; parts > 1 && part < parts; ++part) {
    check_file(fmt::format("{}.{:03}.nc", begin, part), times_s, chosen, cell_count * part / parts,
               vertex_count * part / parts);
  }
}

}  // namespace

namespace {

struct Way {
  std::string mode;
  int io_ranks = 0;
  std::string transport = "auto", placement = "last";
};

// Every mode, with as many I/O ranks as leave a compute rank, up to two.
std::vector<Way> all_ways(int size) {
  std::vector<Way> ways{{"serial"}, {"shared_file"}, {"file_parallel"}};
  for (int io_ranks = 1; io_ranks <= std::min(2, size - 1); ++io_ranks) {
    for (const char* mode : {"async", "shared_file", "file_parallel", "auto"}) {
      ways.push_back({mode, io_ranks});
    }
    for (const char* transport : {"shared_memory", "rma", "two_sided"}) {
      ways.push_back({"shared_file", io_ranks, transport, "first"});
    }
  }
  return ways;
}

int team_size(const Way& way, int size, int partitions) {
  const int writers = way.io_ranks > 0 ? way.io_ranks : size;
  return way.mode == "file_parallel" ? std::max(1, writers / partitions) : 1;
}

}  // namespace

TEST_CASE("every_mode_and_transport_writes_what_was_put") {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (const auto& way : all_ways(size)) {
    for (const std::string layout : {"contiguous", "chunked"}) {
      const SharedDirectory directory;
      StreamSettings whole;
      whole.name = "whole";
      whole.interval = 10.0;
      whole.end = 30.0;
      whole.layout = layout;
      StreamSettings some = whole;
      some.name = "some";
      some.partitions = 2;
      some.levels = {2, 5};
      some.precision = "float64";
      some.compression.codec = layout == "chunked" ? "deflate" : "none";
      StreamSettings split = whole;
      split.name = "split";
      split.start = 10.0;
      split.file_interval = 20.0;
      OutputSettings settings;
      settings.mode = way.mode;
      settings.transport = way.transport;
      settings.io_ranks = way.io_ranks;
      settings.placement = way.placement;
      settings.directory = directory.path;
      CAPTURE(way.mode);
      CAPTURE(way.io_ranks);
      CAPTURE(way.transport);
      CAPTURE(layout);
      auto output = Output::open(MPI_COMM_WORLD, settings);
      if (output.is_compute_rank()) {
        run_model(output, {whole, some, split});
        CHECK(output.outputs_written() == 4 + 4 + 3);
      } else {
        output.serve();
      }
      MPI_Barrier(MPI_COMM_WORLD);
      if (rank != 0) continue;
      const int team = team_size(way, size, 1), half = team_size(way, size, 2);
      const int last_half = way.mode == "file_parallel" && way.io_ranks == 0 ? size / 2 : half;
      check_files(directory.path + "/whole_20000101T000000Z", team, {0.0, 10.0, 20.0, 30.0},
                  {0, 1, 2, 3, 4});
      check_files(directory.path + "/some_p2of2_20000101T000010Z", std::max(1, last_half),
                  {10.0, 30.0}, {1, 4});
      check_files(directory.path + "/split_20000101T000010Z", team, {10.0, 20.0}, {0, 1, 2, 3, 4});
      check_files(directory.path + "/split_20000101T000030Z", team, {30.0}, {0, 1, 2, 3, 4});
      for (const auto& entry : fs::directory_iterator(directory.path)) {
        if (entry.path().filename() == "journal") continue;
        CHECK(entry.path().extension() == ".nc");
      }
    }
  }
}

TEST_CASE("a_blocked_model_with_an_owner_index_is_written_in_global_order") {
  // ICON's layout (nproma, levels, blocks) in float32; owned points lie among others, and their
  // global indices come in no order.
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  constexpr std::int64_t nproma = 8;
  for (const std::string mode : {"serial", "shared_file", "file_parallel"}) {
    const SharedDirectory directory;
    OutputSettings settings;
    settings.mode = mode;
    settings.directory = directory.path;
    auto output = Output::open(MPI_COMM_WORLD, settings);
    std::vector<std::int64_t> global, positions;
    const auto mine = dealt(cell_count, rank, size);
    for (std::size_t n = 0; n < mine.size(); ++n) {  // backwards, every third array point unused
      global.push_back(mine[mine.size() - 1 - n]);
      positions.push_back(static_cast<std::int64_t>(n + n / 2));
    }
    const auto blocks = (positions.back() + nproma) / nproma;
    const std::vector<OwnedPoints> owned{{Place::cell, cell_count, global, positions}};
    output.define(owned);
    output.define(FieldInfo{"deep", "", "", "1", Place::cell, levels, ValueType::float32});
    output.define(FieldInfo{"mask", "", "", "1", Place::cell, 1, ValueType::int32});
    StreamSettings stream;
    stream.end = 1.0;
    output.define(stream);
    std::vector<float> deep(nproma * levels * blocks, -1.0F);
    std::vector<std::int32_t> mask(nproma * blocks, -1);
    for (std::size_t n = 0; n < global.size(); ++n) {
      const auto block = positions[n] / nproma, lane = positions[n] % nproma;
      for (int level = 0; level < levels; ++level) {
        deep[(block * levels + level) * nproma + lane] =
            static_cast<float>(value_at(global[n], level, 0.0));
      }
      mask[positions[n]] = static_cast<std::int32_t>(global[n] % 3);
    }
    output.put("deep", {deep.data(), 1, nproma, ValueType::float32, nproma, nproma * levels}, 0.0);
    output.put("mask", {mask.data(), 1, 0, ValueType::int32, nproma, nproma}, 0.0);
    output.end_time(0.0);
    output.close();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != 0) continue;
    int ncid = -1, variable = -1;
    REQUIRE(nc_open((directory.path + "/out_20000101T000000Z.nc").c_str(), NC_NOWRITE, &ncid) ==
            NC_NOERR);
    std::vector<double> read(cell_count * levels), flags(cell_count);
    nc_inq_varid(ncid, "deep", &variable);
    REQUIRE(nc_get_var_double(ncid, variable, read.data()) == NC_NOERR);
    nc_inq_varid(ncid, "mask", &variable);
    REQUIRE(nc_get_var_double(ncid, variable, flags.data()) == NC_NOERR);
    nc_close(ncid);
    std::size_t wrong = 0;
    for (std::int64_t point = 0; point < cell_count; ++point) {
      wrong += flags[point] != static_cast<double>(point % 3);
      for (int level = 0; level < levels; ++level) {
        wrong += read[level * cell_count + point] != value_at(point, level, 0.0);
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("a_failing_writer_ends_all_ranks_with_its_sentence_and_no_final_name") {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const SharedDirectory directory;
  for (const auto& way : all_ways(size)) {
    OutputSettings settings;
    settings.mode = way.mode;
    settings.io_ranks = way.io_ranks;
    settings.directory = directory.path + "/is/not/there";
    StreamSettings stream;
    stream.interval = 10.0;
    stream.end = 30.0;
    stream.partitions = std::max(1, way.io_ranks);  // every I/O rank writes
    if (rank == 0) fs::create_directories(settings.directory);
    auto output = Output::open(MPI_COMM_WORLD, settings);
    if (rank == 0) fs::remove_all(directory.path + "/is");  // while the model computes
    MPI_Barrier(MPI_COMM_WORLD);
    std::string sentence;
    try {
      output.is_compute_rank() ? run_model(output, {stream}) : output.serve();
    } catch (const Error& error) {
      sentence = error.what();
      CHECK(error.exit_code() == 2);
    }
    CAPTURE(way.mode);
    CAPTURE(way.io_ranks);
    INFO(sentence);
    // An I/O rank may end without a word of its own: before it had anything to write, another one
    // failed.
    const bool silent = !output.is_compute_rank() && sentence.empty();
    const int said = sentence.find("is/not/there' is not there") != std::string::npos ? 1 : 0;
    CHECK((silent || said == 1));
    int io_ranks_that_said = output.is_compute_rank() ? 0 : said;
    MPI_Allreduce(MPI_IN_PLACE, &io_ranks_that_said, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK((way.io_ranks == 0 || io_ranks_that_said > 0));
    CHECK(fs::is_empty(directory.path));
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

TEST_CASE("a stream that ends early at the end of a file leaves whole files and nothing else") {
  const int size = world_size();
  for (const auto& way : all_ways(size)) {
    for (const char* layout : {"contiguous", "chunked"}) {
      const SharedDirectory directory;
      OutputSettings settings;
      settings.mode = way.mode;
      settings.io_ranks = way.io_ranks;
      settings.transport = way.transport;
      settings.directory = directory.path;
      StreamSettings stream;
      stream.interval = stream.file_interval = 10.0;
      stream.end = 90.0;  // the model stops at 30 s
      stream.layout = layout;
      auto output = Output::open(MPI_COMM_WORLD, settings);
      output.is_compute_rank() ? run_model(output, {stream}) : output.serve();
      MPI_Barrier(MPI_COMM_WORLD);
      CAPTURE(way.mode);
      CAPTURE(way.io_ranks);
      int files = 0;
      for (const auto& entry : fs::directory_iterator(directory.path)) {
        INFO(entry.path());
        if (entry.path().filename() == "journal") continue;
        CHECK(entry.path().extension() == ".nc");
        ++files;
      }
      const int parts = team_size(way, size, 1);
      CHECK(files == 4 * (parts > 1 ? parts + 1 : 1));  // with an index over them
    }
  }
}

TEST_CASE("streams that cannot be written are refused before anything happens") {
  const std::vector<FieldInfo> fields{{"vor", "", "", "s-1", Place::cell, 30}};
  StreamSettings stream;
  stream.end = 3600.0;
  stream.variables = {"vorr"};
  CHECK_THROWS_WITH_AS(
      check_stream(stream, fields, OutputSettings{}),
      "[[output]] 'out': variable 'vorr' does not exist; choose one of: all, group:2d, "
      "group:3d, vor. Did you mean 'vor'?",
      Error);
  stream.variables = {"all"};
  stream.place = "edge";
  CHECK_THROWS_WITH_AS(check_stream(stream, fields, OutputSettings{}),
                       doctest::Contains("place 'edge'"), Error);
  stream.place = "all";
  stream.levels = {1, 31};
  CHECK_THROWS_WITH_AS(check_stream(stream, fields, OutputSettings{}),
                       doctest::Contains("level 31 does not exist; its fields have levels 1 to 30"),
                       Error);
  stream.levels.clear();
  const std::vector<FieldInfo> two_depths{{"vor", "", "", "s-1", Place::cell, 30},
                                          {"ps", "", "", "Pa", Place::cell, 1},
                                          {"w", "", "", "m s-1", Place::cell, 31}};
  CHECK_THROWS_WITH_AS(check_stream(stream, two_depths, OutputSettings{}),
                       "[[output]] 'out': field 'w' has 31 levels and another one 30; write them "
                       "in two streams",
                       Error);
  for (const int none : {0, -2}) {
    stream.partitions = none;
    CHECK_THROWS_WITH_AS(check_stream(stream, fields, OutputSettings{}),
                         doctest::Contains("must be at least 1"), Error);
  }
  stream.partitions = 1;
  stream.start = -60.0;
  CHECK_THROWS_WITH_AS(check_stream(stream, fields, OutputSettings{}),
                       doctest::Contains("it starts at -60 s, before the run does"), Error);
}

TEST_CASE("numbers that no experiment could hold are refused of a program's settings too") {
  OutputSettings settings;
  settings.mode = "asynch";
  CHECK_THROWS_WITH_AS(check_output(settings, 4), doctest::Contains("Did you mean 'async'?"),
                       Error);
  settings.mode = "async";
  settings.io_ranks = 4;
  CHECK_THROWS_WITH_AS(check_output(settings, 4), doctest::Contains("leaves no compute rank"),
                       Error);
  const auto refuses = [](const auto& change, const std::string& sentence) {
    OutputSettings numbers;
    change(numbers);
    CHECK_THROWS_WITH_AS(check_output(numbers, 4), doctest::Contains(sentence.c_str()), Error);
  };
  refuses([](auto& each) { each.io_ranks = -1; }, "[io]: ranks = -1 must not be negative");
  refuses([](auto& each) { each.restart_ranks = -1; }, "[restart]: ranks = -1 must not be");
  refuses([](auto& each) { each.restart_ranks = 4; }, "leaves no compute rank of 4 ranks");
  refuses([](auto& each) { each.budget_bytes = -1; }, "budget = -1 bytes must not be negative");
  refuses([](auto& each) { each.timeout_s = 0.0; }, "timeout = 0 s must be larger than 0");
  refuses([](auto& each) { each.timeout_s = std::nan(""); }, "must be larger than 0");
  refuses([](auto& each) { each.duration = -1.0; }, "duration = -1 s must not be negative");
}

TEST_CASE("a mode without I/O ranks takes no rank from the model") {
  OutputSettings settings;
  settings.io_ranks = 2;
  for (const auto& mode : output_modes()) {
    settings.mode = mode.name;
    CHECK(dedicated_io_ranks(settings) == (mode.ranks == "none" ? 0 : 2));
  }
}

TEST_CASE("every container is asked before anything happens, and knows what it cannot write") {
  const std::vector<FieldInfo> fields{{"vor", "", "", "s-1", Place::cell, 30},
                                      {"ps", "", "", "Pa", Place::vertex, 1}};
  StreamSettings stream;
  stream.end = 3600.0;
  OutputSettings settings;
  for (const auto& kind : containers()) {
    CAPTURE(kind.name);
    settings.way = way_word(kind.way);
    stream.container = kind.name;
    CHECK_NOTHROW(check_stream(stream, fields, settings));
  }
  settings.way = "direct";
  settings.mode = "file_parallel";
  for (const std::string whole_grids_only : {"zarr", "grib2"}) {
    stream.container = whole_grids_only;
    settings.io_ranks = 2;
    CHECK_THROWS_WITH_AS(check_stream(stream, fields, settings), doctest::Contains("file_parallel"),
                         Error);
    settings.io_ranks = 1;
    CHECK_NOTHROW(check_stream(stream, fields, settings));
  }
}
