// SPDX-License-Identifier: Apache-2.0
// A file holds exactly the times that were written, also of a model that passes over some, that
// ends early, or that is continued; in every container and on any number of ranks.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "all_ranks.hpp"
#include "format/container.hpp"
#include "format/netcdf/netcdf_calls.hpp"
#include "thalweg/error.hpp"
#include "thalweg/output.hpp"

using namespace thalweg;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t cells = 320;  // R2B1 has 320
constexpr int levels = 4;

/// How the values are stored and by whom they are written.
struct Kind {
  std::string container, compression = "none", layout = "contiguous", way = "direct";
  std::string mode = "shared_file";
};

/// On four ranks, of which most wait for a core, every second one.
std::vector<Kind> kinds() {
  std::vector<Kind> all{{"netcdf4"},
                        {"netcdf4", "none", "chunked"},
                        {"netcdf4", "deflate"},
                        {"cdf5"},
                        {"classic"},
                        {"raw"},
                        {"zarr"},
                        {"zarr", "zstd"},
                        {"grib2"},
                        {"grib2", "ccsds"},
                        {"netcdf4", "none", "contiguous", "direct", "file_parallel"},
                        {"netcdf4", "deflate", "contiguous", "direct", "file_parallel"}};
  for (const auto& container : containers()) {
    if (container.way != Way::mpiio) continue;
    all.push_back({container.name, "none", "contiguous", "mpiio"});
    if (std::string_view(container.name) != "netcdf4") continue;
    all.push_back({"netcdf4", "none", "chunked", "mpiio"});
    all.push_back({"netcdf4", "deflate", "contiguous", "mpiio"});
  }
  if (world_size() <= 3) return all;
  std::vector<Kind> half;
  for (std::size_t i = 0; i < all.size(); i += 2) half.push_back(all[i]);
  return half;
}

/// What a run does with the files of a run before.
struct Before {
  std::optional<double> continues_after = {};
  bool begins_again = false;
  bool leaves = false;  ///< without close
  double end_s = 90.0, file_interval_s = 30.0;
};

/// One run that puts at these times.
void run(const Kind& kind, const std::string& directory, const std::vector<double>& times_s,
         const Before& before = {}) {
  OutputSettings settings;
  settings.mode = kind.mode;
  settings.way = kind.way;
  settings.directory = directory + "/files";
  settings.journals = directory + "/journal";
  if (world_rank() == 0) fs::create_directories(settings.directory);
  MPI_Barrier(MPI_COMM_WORLD);
  auto output = Output::open(MPI_COMM_WORLD, settings);
  std::vector<std::int64_t> mine;
  for (std::int64_t point = 0; point < cells; ++point)
    if (point % world_size() == world_rank()) mine.push_back(point);
  output.define(std::vector<OwnedPoints>{{Place::cell, cells, mine}});
  output.define(FieldInfo{"deep", "", "", "1", Place::cell, levels});
  output.define(FieldInfo{"flat", "", "", "1", Place::cell, 1});
  StreamSettings stream;
  stream.interval = 5.0;
  stream.end = before.end_s;
  stream.file_interval = before.file_interval_s;
  stream.container = kind.container;
  stream.compression.codec = kind.compression;
  stream.layout = kind.layout;
  output.define(stream);
  if (before.continues_after) output.continue_after(*before.continues_after, true);
  if (before.begins_again) output.begin_again();
  for (const double time_s : times_s) {
    std::vector<double> deep, flat;
    for (const auto point : mine) {
      flat.push_back(static_cast<double>(point) + time_s);
      for (int level = 0; level < levels; ++level)
        deep.push_back(static_cast<double>(point) + 0.25 * level + time_s);
    }
    output.put("deep", {deep.data(), levels, 1}, time_s);
    output.put("flat", {flat.data(), 1, 0}, time_s);
    output.end_time(time_s);
  }
  if (!before.leaves) output.close();
  MPI_Barrier(MPI_COMM_WORLD);
}

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<double> read_variable(int ncid, const char* name, std::size_t values) {
  int variable = -1;
  std::vector<double> read(values);
  REQUIRE(nc_inq_varid(ncid, name, &variable) == NC_NOERR);
  REQUIRE(nc_get_var_double(ncid, variable, read.data()) == NC_NOERR);
  return read;
}

struct Read {
  std::vector<double> times_s;
  std::map<std::string, std::string> contents;  ///< what must be the same, by name
};

void add_netcdf(Read& read, const fs::path& path) {
  int ncid = -1, time = -1, cell = -1;
  REQUIRE(nc_open(path.c_str(), NC_NOWRITE, &ncid) == NC_NOERR);
  std::size_t times = 0, points = 0;
  nc_inq_dimid(ncid, "time", &time);
  nc_inq_dimid(ncid, "cell", &cell);
  nc_inq_dimlen(ncid, time, &times);
  nc_inq_dimlen(ncid, cell, &points);
  read.times_s = read_variable(ncid, "time", times);
  for (const char* name : {"deep", "flat"}) {
    const auto values =
        read_variable(ncid, name, times * points * (name[0] == 'd' ? std::size_t{levels} : 1));
    read.contents[path.filename().string() + name] = {reinterpret_cast<const char*>(values.data()),
                                                      values.size() * sizeof(double)};
  }
  nc_close(ncid);
}

/// One file and what belongs to it.
Read read_file(const std::string& directory, const std::string& date) {
  Read read;
  for (const auto& entry : fs::recursive_directory_iterator(directory + "/files")) {
    const auto name = entry.path().lexically_relative(directory + "/files").string();
    INFO(name);
    CHECK(name.find(".part") == std::string::npos);
    CHECK(name.find(".fitted") == std::string::npos);
    if (name.find(date) == std::string::npos || !entry.is_regular_file()) continue;
    if (entry.path().extension() == ".nc") {
      add_netcdf(read, entry.path());
      continue;
    }
    const auto bytes = bytes_of(entry.path());
    read.contents[name] = bytes;
    if (name.ends_with(".raw.json") || name.ends_with(".zarr/zarr.json")) {
      auto json = nlohmann::json::parse(bytes);  // the history has the time of day
      json.erase("history");
      if (json.contains("attributes")) json["attributes"].erase("history");
      read.contents[name] = json.dump();
    }
    if (name.ends_with(".raw.json"))
      read.times_s =
          nlohmann::json::parse(bytes).at("time").at("values").get<std::vector<double>>();
    if (name.ends_with(".zarr/time/c/0")) {
      read.times_s.resize(bytes.size() / sizeof(double));
      std::memcpy(read.times_s.data(), bytes.data(), bytes.size());
    }
    if (name.ends_with(".zarr/deep/zarr.json")) {
      const auto length = nlohmann::json::parse(bytes).at("shape").at(0).get<std::size_t>();
      CHECK(length * sizeof(double) == fs::file_size(entry.path().parent_path() / "../time/c/0"));
    }
    if (name.ends_with(".grb2")) {
      for (std::size_t at = 0; at < bytes.size(); ++at) {  // one message for each level
        if (bytes.compare(at, 4, "GRIB") == 0 && bytes[at + 7] == 2) read.times_s.push_back(0.0);
      }
      read.times_s.resize(read.times_s.size() / (levels + 1));
    }
  }
  return read;
}

void check_times(const Kind& kind, const Read& read, const std::vector<double>& times_s) {
  if (kind.container == "grib2") {
    CHECK(read.times_s.size() == times_s.size());
  } else {
    CHECK(read.times_s == times_s);
  }
}

std::string shown(const Kind& kind) {
  return fmt::format("{} {} {} {} {}", kind.container, kind.compression, kind.layout, kind.way,
                     kind.mode);
}

}  // namespace

TEST_CASE("a_file_holds_the_times_that_were_put_and_no_others") {
  for (const auto& kind : kinds()) {
    CAPTURE(shown(kind));
    const SharedDirectory directory;
    run(kind, directory.path, {10, 20, 25, 65});  // passes over times and a file, and ends early
    if (world_rank() != 0) continue;
    check_times(kind, read_file(directory.path, "20000101T000000Z"), {10, 20, 25});
    check_times(kind, read_file(directory.path, "20000101T000030Z"), {});
    check_times(kind, read_file(directory.path, "20000101T000100Z"), {65});
  }
}

TEST_CASE("a_continued_run_writes_the_same_files_as_one_that_never_stopped") {
  for (const auto& kind : kinds()) {
    CAPTURE(shown(kind));
    const SharedDirectory whole, parts;
    run(kind, whole.path, {0, 5, 10, 15, 25, 30, 35, 40, 60});
    run(kind, parts.path, {0, 5, 10, 15, 25, 30});  // the checkpoint is that at 15 s
    run(kind, parts.path, {25, 30, 35, 40, 60}, {15.0});
    if (world_rank() != 0) continue;
    for (const char* date : {"20000101T000000Z", "20000101T000030Z", "20000101T000100Z"}) {
      CAPTURE(date);
      const auto one = read_file(whole.path, date), other = read_file(parts.path, date);
      CHECK(one.times_s == other.times_s);
      REQUIRE(one.contents.size() == other.contents.size());
      for (const auto& [name, content] : one.contents) {
        CAPTURE(name);
        CHECK((other.contents.contains(name) && other.contents.at(name) == content));
      }
    }
  }
}

TEST_CASE("a_file_that_gets_as_many_times_as_it_had_room_for_has_the_right_ones") {
  constexpr double one_file = 0.0;
  for (const auto& kind : kinds()) {
    CAPTURE(shown(kind));
    const SharedDirectory whole, parts;
    run(kind, whole.path, {0, 10, 15, 20, 25}, {.end_s = 25.0, .file_interval_s = one_file});
    // Cut to five times when it was complete; the last is taken back, and another one comes.
    run(kind, parts.path, {0, 10, 15, 20, 30}, {.end_s = 30.0, .file_interval_s = one_file});
    run(kind, parts.path, {20, 25},
        {.continues_after = 15.0, .end_s = 25.0, .file_interval_s = one_file});
    if (world_rank() != 0) continue;
    const auto one = read_file(whole.path, "20000101");
    check_times(kind, one, {0, 10, 15, 20, 25});
    const auto other = read_file(parts.path, "20000101");
    CHECK(one.times_s == other.times_s);
    CHECK(one.contents == other.contents);
  }
}

TEST_CASE("of_times_that_are_written_again_nothing_is_left") {
  for (const auto& kind : kinds()) {
    CAPTURE(shown(kind));
    const SharedDirectory directory;
    for (const auto& [before, first] : {std::pair{Before{15.0}, std::vector<double>{0, 15, 20}},
                                        std::pair{Before{{}, true}, std::vector<double>{20}}}) {
      run(kind, directory.path, {0, 15, 25, 35, 60});
      run(kind, directory.path, {20}, before);
      if (world_rank() != 0) continue;
      check_times(kind, read_file(directory.path, "20000101T000000Z"), first);
      check_times(kind, read_file(directory.path, "20000101T000030Z"), {});
      check_times(kind, read_file(directory.path, "20000101T000100Z"), {});
      const fs::directory_iterator journals(directory.path + "/journal");
      CHECK(std::count_if(begin(journals), end(journals), [](const auto& entry) {
              return entry.path().extension() == ".jsonl";
            }) == 1);
    }
  }
}

TEST_CASE("a_file_whose_index_or_description_a_kill_left_out_gets_it") {
  for (const auto& kind :
       {Kind{"netcdf4", "none", "contiguous", "direct", "file_parallel"}, Kind{"raw"}}) {
    if (kind.mode == "file_parallel" && world_size() == 1) continue;  // there are no parts
    CAPTURE(shown(kind));
    const SharedDirectory directory;
    run(kind, directory.path, {0, 15, 25, 35});
    const auto file = directory.path + "/files/out_20000101T000000Z." +
                      (kind.container == "raw" ? "raw.json" : "nc");
    if (world_rank() == 0) {  // killed before that: the journal does not know either
      fs::remove(file);
      const auto journal = directory.path + "/journal/out_20000101T000000Z." +
                           (kind.container == "raw" ? "raw" : "nc") + ".jsonl";
      const auto text = bytes_of(journal);
      const auto last = text.rfind('\n', text.size() - 2);
      REQUIRE(text.substr(last).find("closed") != std::string::npos);
      fs::resize_file(journal, last + 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    run(kind, directory.path, {35}, {30.0});
    if (world_rank() != 0) continue;
    CHECK(fs::exists(file));
    check_times(kind, read_file(directory.path, "20000101T000000Z"), {0, 15, 25});
  }
}

TEST_CASE("an_index_over_parts_that_go_on_is_gone_until_they_are_complete") {
  if (world_size() == 1) return;
  const SharedDirectory directory;
  const Kind kind{"netcdf4", "none", "contiguous", "direct", "file_parallel"};
  run(kind, directory.path, {0, 15, 25});
  const auto index = directory.path + "/files/out_20000101T000000Z.nc";
  CHECK(fs::exists(index));
  MPI_Barrier(MPI_COMM_WORLD);
  run(kind, directory.path, {20}, {.continues_after = 15.0, .leaves = true});
  CHECK(fs::exists(directory.path + "/files/out_20000101T000000Z.000.nc.part"));
  CHECK(!fs::exists(index));
}

TEST_CASE("integers_of_another_size_are_other_settings") {
  for (const auto& [type, well] : {std::pair{ValueType::int32, true}, {ValueType::int64, false}}) {
    const SharedDirectory directory;
    const auto once = [&](ValueType chosen, std::optional<double> after) {
      OutputSettings settings;
      settings.mode = "serial";
      settings.directory = directory.path;
      auto output = Output::open(MPI_COMM_WORLD, settings);
      std::vector<std::int64_t> mine;
      if (world_rank() == 0) mine.assign({0, 1, 2});
      output.define(std::vector<OwnedPoints>{{Place::cell, 3, mine}});
      FieldInfo field{"count", "", "", "1", Place::cell, 1};
      field.type = chosen;
      output.define(field);
      StreamSettings stream;
      stream.end = 7200.0;
      output.define(stream);
      if (after) output.continue_after(*after, true);
      const std::vector<std::int64_t> values(3, 1);
      FieldView view{nullptr, 1, 0, chosen};
      view.values = values.data();
      for (double time_s = after ? *after + 3600.0 : 0.0; time_s <= 7200.0; time_s += 3600.0) {
        output.put("count", view, time_s);
        output.end_time(time_s);
      }
      output.close();
    };
    once(ValueType::int32, std::nullopt);
    if (well) {
      CHECK_NOTHROW(once(type, 3600.0));
    } else {
      CHECK_THROWS_WITH_AS(once(type, 3600.0), doctest::Contains("other settings"), Error);
    }
  }
}

TEST_CASE("a_run_that_cannot_find_what_was_written_says_so_and_changes_nothing") {
  const SharedDirectory directory;
  const Kind kind{"cdf5"};
  run(kind, directory.path, {0, 5, 10});
  const auto journal = directory.path + "/journal/out_20000101T000000Z.nc.jsonl";
  const auto file = directory.path + "/files/out_20000101T000000Z.nc";
  const auto before = bytes_of(file);
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank() == 0) {  // a byte in the first line
    auto text = bytes_of(journal);
    text[20] = text[20] == 'x' ? 'y' : 'x';
    std::ofstream(journal, std::ios::binary) << text;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_THROWS_WITH_AS(run(kind, directory.path, {15}, {10.0}), doctest::Contains("is damaged"),
                       Error);
  if (world_rank() == 0) fs::remove(journal);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_THROWS_WITH_AS(run(kind, directory.path, {15}, {10.0}), doctest::Contains("there is no"),
                       Error);
  CHECK(bytes_of(file) == before);
}
