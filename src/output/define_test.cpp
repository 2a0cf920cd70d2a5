// SPDX-License-Identifier: Apache-2.0
// What ranks define must be the same, complete and true; what is refused stays refused.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include "all_ranks.hpp"
#include "said.hpp"
#include "thalweg/error.hpp"
#include "thalweg/output.hpp"

using namespace thalweg;

namespace {

constexpr std::int64_t cells = 20;  // of R1B0

OutputSettings settings_in(const SharedDirectory& directory) {
  OutputSettings settings;
  settings.mode = "serial";
  settings.directory = directory.path;
  return settings;
}

std::vector<std::int64_t> own_points() {
  std::vector<std::int64_t> points;
  for (std::int64_t point = world_rank(); point < cells; point += world_size()) {
    points.push_back(point);
  }
  return points;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_SUITE_BEGIN("define");

TEST_CASE("a_claim_of_a_grid_is_checked_against_its_uuid") {
  const SharedDirectory directory;
  const auto points = own_points();
  const auto define = [&](const std::string& uuid) {
    auto settings = settings_in(directory);
    settings.grid = "R1B0";
    settings.grid_uuid = uuid;
    auto output = Output::open(MPI_COMM_WORLD, settings);
    output.define(std::vector<OwnedPoints>{{Place::cell, cells, points}});
    output.end_definition();
    output.close();
  };
  const auto uuid = Grid::parse("R1B0").uuid();
  CHECK(sentence_of([&] { define(uuid); }) == "");
  for (const auto* wrong :
       {"", "a27b8de6-18c4-11e4-820a-b5b098c6a5c0"}) {  // the other: one of ICON's
    const auto sentence = sentence_of([&] { define(wrong); });
    INFO(sentence);
    CHECK(contains(sentence, "is a claim that points are numbered as in Thalweg's grid"));
    CHECK(contains(sentence, fmt::format("grid_uuid = \"{}\"", uuid)));
  }
}

TEST_CASE("all_ranks_are_told_which_of_them_differ") {
  if (world_size() < 3) return;
  const SharedDirectory directory;
  const auto points = own_points();
  auto output = Output::open(MPI_COMM_WORLD, settings_in(directory));
  output.define(std::vector<OwnedPoints>{{Place::cell, cells, points}});
  const int levels = world_rank() == 1 ? 4 : 5;
  output.define(FieldInfo{"ta", "", "", "K", Place::cell, levels});
  const std::string expected =
      "the compute ranks differ in the levels of their fields: rank 1 says other than "
      "the "
      "rest";
  CHECK(sentence_of([&] { output.end_definition(); }) == expected);
  // And again at once, from every call.
  const double value = 0.0;
  CHECK(sentence_of([&] { output.put("ta", {&value, 1, 1}, 0.0); }) == expected);
  CHECK(sentence_of([&] { static_cast<void>(output.wants("ta", 0.0)); }) == expected);
  CHECK(sentence_of([&] { output.end_time(0.0); }) == expected);
  CHECK(sentence_of([&] { output.check(); }) == expected);
  CHECK(sentence_of([&] { output.close(); }) == expected);
}

TEST_CASE("half_levels_are_not_layers") {
  const SharedDirectory directory;
  const auto points = own_points();
  const auto define = [&](std::initializer_list<FieldInfo> fields) {
    auto output = Output::open(MPI_COMM_WORLD, settings_in(directory));
    output.define(std::vector<OwnedPoints>{{Place::cell, cells, points}});
    return sentence_of([&] {
      for (const auto& field : fields) output.define(field);
      StreamSettings stream;
      stream.name = "all";
      stream.variables = {"all"};
      stream.end = 1.0;
      output.define(stream);
      output.end_definition();
    });
  };
  const auto field = [](const char* name, int levels, bool half) {
    FieldInfo info{name, "", "", "K", Place::cell, levels};
    info.half_levels = half;
    return info;
  };
  CHECK(define({field("w", 1, true)}) ==
        "field 'w' has one level and lies on half levels: of those there are at least two, and a "
        "two-dimensional field is on none");
  CHECK(define({field("ta", 5, false), field("w", 5, true)}) ==
        "[[output]] 'all': field 'w' lies on half levels and another one in layers; write them in "
        "two streams");
  CHECK(define({field("p", 5, true), field("ts", 1, false), field("w", 5, true)}) == "");
  if (world_size() < 3) return;
  CHECK(define({field("w", 5, world_rank() == 2)}) ==
        "the compute ranks differ in the levels of their fields: "
        "rank 2 says other than the rest");
}

TEST_CASE("points_of_no_rank_and_of_two_are_refused_on_all_ranks") {
  const SharedDirectory directory;
  for (const bool twice : {false, true}) {
    auto points = own_points();
    if (world_rank() == 0) {
      if (twice && world_size() > 1) points.push_back(1);
      if (!twice) points.erase(points.begin());
    }
    if (twice && world_size() == 1) continue;
    auto output = Output::open(MPI_COMM_WORLD, settings_in(directory));
    output.define(std::vector<OwnedPoints>{{Place::cell, cells, points}});
    const auto sentence = sentence_of([&] { output.end_definition(); });
    CHECK(sentence == (twice
                           ? "place 'cell': point 1 is owned by more than one rank (counted from 0)"
                           : "place 'cell': points 0 to 0 are owned by no rank (counted from 0)"));
  }
}

TEST_CASE("positions_of_two_points_at_a_time_are_refused_by_number_and_place") {
  const SharedDirectory directory;
  const auto points = own_points();
  const auto refusal = [&](std::vector<std::int64_t> positions) {
    auto output = Output::open(MPI_COMM_WORLD, settings_in(directory));
    const auto sentence = sentence_of([&] {
      output.define(std::vector<OwnedPoints>{{Place::cell, cells, points, positions}});
    });
    MPI_Barrier(MPI_COMM_WORLD);
    return sentence;
  };
  std::vector<std::int64_t> positions(points.size());
  std::iota(positions.rbegin(), positions.rend(), 7);
  CHECK(refusal(positions) == "");
  positions.back() = positions.front();
  CHECK(refusal(positions) ==
        fmt::format("place 'cell': position {} is given to two points (counted from 0)",
                    positions.front()));
}

TEST_CASE("definitions_after_their_end_are_refused") {
  const SharedDirectory directory;
  const auto points = own_points();
  auto output = Output::open(MPI_COMM_WORLD, settings_in(directory));
  output.define(std::vector<OwnedPoints>{{Place::cell, cells, points}});
  output.end_definition();
  CHECK(contains(sentence_of([&] {
                   output.define(FieldInfo{"ta", "", "", "K", Place::cell, 1});
                 }),
                 "fields must be defined before the end of definition"));
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST_CASE("a_rank_that_cannot_open_is_heard_by_all") {
  if (world_size() < 2) return;
  const SharedDirectory directory;
  auto settings = settings_in(directory);
  if (world_rank() == 1) settings.mode = "serail";
  CHECK(contains(sentence_of([&] { Output::open(MPI_COMM_WORLD, settings); }),
                 "mode 'serail' does not exist"));
}

TEST_CASE("settings_of_one_rank_that_differ_are_named_on_all_ranks") {
  if (world_size() < 3) return;
  const SharedDirectory directory;
  auto settings = settings_in(directory);
  if (world_rank() == 1) {  // roles, messages and files would all be others
    settings.mode = "async";
    settings.io_ranks = 1;
    settings.start_date = "2001-01-01T00:00:00Z";
    settings.attributes["title"] = "another one";
  }
  CHECK(sentence_of([&] { Output::open(MPI_COMM_WORLD, settings); }) ==
        "the ranks differ in [io] mode, [io] ranks, [time] start, [attributes]: rank 1 says other "
        "than the rest; give all ranks the same settings");
}

TEST_CASE("streams_whose_files_would_have_the_same_names_are_refused") {
  for (const bool first : {true, false}) {
    const SharedDirectory directory;
    const auto points = own_points();
    auto output = Output::open(MPI_COMM_WORLD, settings_in(directory));
    output.define(std::vector<OwnedPoints>{{Place::cell, cells, points}});
    output.define(FieldInfo{"t", "", "", "K", Place::cell, 1});
    StreamSettings cut, plain;
    cut.name = "a";
    cut.partitions = 2;
    plain.name = "a_p2of2";
    cut.interval = plain.interval = 10.0;
    cut.end = plain.end = 100.0;
    CHECK(contains(sentence_of([&] {
                     output.define(first ? cut : plain);
                     output.define(first ? plain : cut);
                   }),
                   "'a_p2of2': files of stream 'a', which has 2 partitions, are called so"));
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

TEST_CASE("names_that_the_files_use_themselves_are_refused_by_name") {
  const SharedDirectory directory;
  const auto points = own_points();
  const auto refusal = [&](const std::string& name, double height_m = 0.0) {
    auto output = Output::open(MPI_COMM_WORLD, settings_in(directory));
    output.define(std::vector<OwnedPoints>{{Place::cell, cells, points}});
    output.define(FieldInfo{"t", "", "", "K", Place::cell, 1, ValueType::float64, 2.0});
    const auto sentence = sentence_of([&] {
      output.define(FieldInfo{name, "", "", "1", Place::cell, 1, ValueType::float64, height_m});
    });
    MPI_Barrier(MPI_COMM_WORLD);
    return sentence;
  };
  for (const auto* name : {"time", "level", "cell", "edge", "vertex", "zarr.json", "height_2m"}) {
    CHECK(refusal(name) ==
          fmt::format("field '{}': a coordinate or dimension of its files is called so; choose "
                      "another name",
                      name));
  }
  CHECK(contains(refusal("height_10m", 10.0), "field 'height_10m': a coordinate"));
  CHECK(contains(refusal("../x"), "field '../x': its name may not contain '/'"));
  CHECK(refusal("lon") == "");  // a model's own points have no coordinates of ours
  CHECK(refusal("td", 2.0) == "");
}

namespace {

Output output_with_stream(const SharedDirectory& directory, const std::vector<std::int64_t>& points,
                          const char* name) {
  auto output = Output::open(MPI_COMM_WORLD, settings_in(directory));
  output.define(std::vector<OwnedPoints>{{Place::cell, cells, points}});
  output.define(FieldInfo{"t", "", "", "K", Place::cell, 1});
  StreamSettings stream;
  stream.name = name;
  stream.end = 1.0;
  output.define(stream);
  return output;
}

}  // namespace

TEST_CASE("a_streams_name_begins_file_names_and_is_checked_as_one") {
  const SharedDirectory directory;
  const auto points = own_points();
  for (const auto* name : {"", "../x", "..", "a\nb", "o\xff"}) {
    CHECK(contains(sentence_of([&] { output_with_stream(directory, points, name); }),
                   "': its name "));
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

TEST_CASE("every_container_writes_the_longest_and_the_strangest_names_that_pass") {
  const auto points = own_points();
  const std::vector<double> values(points.size(), 1.0);
  for (const auto& container : output_containers()) {
    if (container.way != "direct") continue;
    CAPTURE(container.name);
    const SharedDirectory directory;
    auto output = Output::open(MPI_COMM_WORLD, settings_in(directory));
    output.define(std::vector<OwnedPoints>{{Place::cell, cells, points}});
    const std::vector<std::string> names{std::string(255, 'x'), "2 m: h\"\\\u00f6he (%)"};
    for (const auto& name : names) output.define(FieldInfo{name, "", "", "1", Place::cell, 1});
    StreamSettings stream;
    stream.name = std::string(150, 's');
    stream.partitions = 2;
    stream.end = 1.0;
    stream.container = container.name;
    output.define(stream);
    for (const auto& name : names) output.put(name, {values.data(), 1, 0}, 0.0);
    output.end_time(0.0);
    CHECK(sentence_of([&] { output.close(); }) == "");
  }
}

TEST_CASE("an_output_directory_that_is_not_there_is_named_by_open") {
  const SharedDirectory directory;
  auto settings = settings_in(directory);
  settings.directory += "/no/such";
  CHECK(sentence_of([&] { Output::open(MPI_COMM_WORLD, settings); }) ==
        fmt::format("the output directory '{}' does not exist; make it before the output is "
                    "opened, or name another one",
                    settings.directory));
}

TEST_CASE("a_stream_that_another_output_writes_is_refused_on_all_ranks") {
  const SharedDirectory directory;
  const auto points = own_points();
  const auto opened = [&](const char* name) { return output_with_stream(directory, points, name); };
  auto one = opened("a");
  one.end_definition();
  auto other_stream = opened("b");
  CHECK(sentence_of([&] { other_stream.end_definition(); }) == "");
  auto same_stream = opened("a");
  CHECK(contains(sentence_of([&] { same_stream.end_definition(); }),
                 "[[output]] 'a': another output writes the files of a stream of that name"));
  other_stream.close();
  one.close();
  auto later = opened("a");
  CHECK(sentence_of([&] { later.close(); }) == "");
}

TEST_CASE("what_open_mpi_left_beside_a_file_of_a_killed_run_goes_with_the_file") {
  const SharedDirectory directory;
  const auto file = directory.path + "/a_20000101T000000Z.nc.part";
  const std::vector<std::string> ours{file, file + ".locktest.0", file + ".locktest.11"};
  const auto others = directory.path + "/b_20000101T000000Z.nc.part.locktest.0";
  if (world_rank() == 0) {
    for (const auto& path : ours) std::ofstream(path) << "left";
    std::ofstream(others) << "left";
  }
  const auto points = own_points();
  auto output = output_with_stream(directory, points, "a");
  output.begin_again();
  output.end_definition();
  MPI_Barrier(MPI_COMM_WORLD);
  for (const auto& path : ours) CHECK_FALSE(std::filesystem::exists(path));
  CHECK(std::filesystem::exists(others));
  MPI_Barrier(MPI_COMM_WORLD);
  output.close();
}

TEST_CASE("an_output_without_streams_says_that_it_writes_nothing") {
  const SharedDirectory directory;
  const auto points = own_points();
  const auto said = said_in([&] {
    auto output = Output::open(MPI_COMM_WORLD, settings_in(directory));
    output.define(std::vector<OwnedPoints>{{Place::cell, cells, points}});
    output.define(FieldInfo{"t", "", "", "K", Place::cell, 1});
    output.close();
  });
  CHECK(contains(said, "no stream that writes them") == (world_rank() == 0));
}

TEST_CASE("a_stream_before_its_fields_and_levels_out_of_order_are_told_apart") {
  StreamSettings stream;
  stream.end = 1.0;
  const auto refusal = [&](const std::vector<FieldInfo>& fields) {
    return sentence_of([&] { check_stream(stream, fields, {}); });
  };
  CHECK(refusal({}) ==
        "[[output]] 'out': no field is defined yet; define all fields before the streams, the "
        "first put and questions about output times");
  stream.levels = {4, 1};
  const std::vector<FieldInfo> deep{{"t", "", "", "K", Place::cell, 5}};
  CHECK(refusal(deep) == "[[output]] 'out': levels must ascend, but 1 follows 4");
  stream.levels = {1, 6};
  CHECK(refusal(deep) == "[[output]] 'out': level 6 does not exist; its fields have levels 1 to 5");
}

TEST_SUITE_END();
