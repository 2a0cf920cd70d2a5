// SPDX-License-Identifier: Apache-2.0
// Every mode writes sets that any number of ranks reads; damaged sets are named and passed over.
#include "thalweg/restart.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>
#include <random>

#include "all_ranks.hpp"
#include "count_members.hpp"
#include "restart/part_file.hpp"
#include "thalweg/error.hpp"

using namespace thalweg;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t cell_count = 3000, vertex_count = 1502;
constexpr int levels = 5;
constexpr double no_value = -99.0;

double value_at(int field, std::int64_t point, int level, double time_s) {
  return 1000.0 * field + static_cast<double>(point) + 0.125 * level + 1e-3 * time_s;
}

/// The first `ranks` ranks of the world; null on the others.
struct FirstRanks {
  MPI_Comm comm = MPI_COMM_NULL;
  explicit FirstRanks(int ranks) {
    const int rank = rank_of(MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &comm);
  }
  ~FirstRanks() {
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  }
};

/// How a rank holds its points.
enum class Memory { columns, lines_with_halo, blocks_in_odd_order };

/// A model's state on one rank: a layered float64 field on cells, a flat float32 and an int32 field
/// on vertices, laid out as `memory` says.
struct Model {
  std::vector<std::int64_t> cells, vertices, cell_positions;
  std::vector<double> deep;
  std::vector<float> flat;
  std::vector<std::int32_t> marks;
  std::vector<OwnedPoints> owned;
  std::ptrdiff_t point_stride = levels, level_stride = 1, block_stride = 0;
  std::int64_t block_points = 0;

  Model(MPI_Comm comm, Memory memory, std::int64_t stretch) {
    const int part = rank_of(comm), parts = ranks_of(comm);
    for (std::int64_t c = 0; c < cell_count; ++c) {
      if (c / stretch % parts == part) cells.push_back(c);
    }
    for (std::int64_t v = 0; v < vertex_count; ++v) {
      if (v / stretch % parts == part) vertices.push_back(v);
    }
    const auto owned_cells = static_cast<std::int64_t>(cells.size());
    if (memory == Memory::lines_with_halo) {
      point_stride = 1;
      level_stride = owned_cells + 13;
    } else if (memory == Memory::blocks_in_odd_order) {
      std::shuffle(cells.begin(), cells.end(), std::mt19937(7));
      for (std::int64_t c = 0; c < owned_cells; ++c) cell_positions.push_back(c + 3);
      if (owned_cells > 1) std::swap(cell_positions.front(), cell_positions.back());
      block_points = 8;
      point_stride = 1;
      level_stride = 8;
      block_stride = 8 * levels;
    }
    deep.assign((owned_cells + 13) * levels + 8 * levels, no_value);
    flat.assign(vertices.size(), -1.0F);
    marks.assign(vertices.size(), -1);
    owned = {{Place::cell, cell_count, cells, cell_positions},
             {Place::vertex, vertex_count, vertices, {}}};
  }

  double& deep_at(std::size_t point, int level) {
    auto position = static_cast<std::int64_t>(point);
    if (!cell_positions.empty()) position = cell_positions[point];
    auto offset = position * point_stride;
    if (block_points > 0) {
      offset = position % block_points * point_stride + position / block_points * block_stride;
    }
    return deep[offset + level * level_stride];
  }

  void fill(double time_s) {
    for (std::size_t point = 0; point < cells.size(); ++point) {
      for (int level = 0; level < levels; ++level) {
        deep_at(point, level) = value_at(0, cells[point], level, time_s);
      }
    }
    for (std::size_t point = 0; point < vertices.size(); ++point) {
      flat[point] = static_cast<float>(value_at(1, vertices[point], 0, time_s));
      marks[point] = static_cast<std::int32_t>(7 * vertices[point]) - 5;
    }
  }

  std::int64_t wrong(double time_s) {
    std::int64_t count = 0;
    for (std::size_t point = 0; point < cells.size(); ++point) {
      for (int level = 0; level < levels; ++level) {
        count += deep_at(point, level) != value_at(0, cells[point], level, time_s) ? 1 : 0;
      }
    }
    for (std::size_t point = 0; point < vertices.size(); ++point) {
      count += flat[point] != static_cast<float>(value_at(1, vertices[point], 0, time_s)) ? 1 : 0;
      count += marks[point] != static_cast<std::int32_t>(7 * vertices[point]) - 5 ? 1 : 0;
    }
    const auto kept = std::count(deep.begin(), deep.end(), no_value);  // what is not owned
    return count + (kept == static_cast<std::int64_t>(deep.size() - cells.size() * levels) ? 0 : 1);
  }

  template <class View>
  std::vector<View> views() {
    return {
        {deep.data(), point_stride, level_stride, ValueType::float64, block_points, block_stride},
        {flat.data(), 1, 0, ValueType::float32, 0, 0},
        {marks.data(), 1, 0, ValueType::int32, 0, 0}};
  }
};

const std::vector<FieldInfo>& state_fields() {
  static const std::vector<FieldInfo> fields{
      {"deep", "", "", "1", Place::cell, levels, ValueType::float64},
      {"flat", "", "", "1", Place::vertex, 1, ValueType::float32},
      {"marks", "", "", "1", Place::vertex, 1, ValueType::int32}};
  return fields;
}

RestartSettings settings_for(const std::string& mode, const std::string& directory) {
  RestartSettings settings;
  settings.mode = mode;
  settings.directory = directory + "/restart";
  settings.timeout_s = 60.0;
  return settings;
}

/// Writes sets at these times on the first `compute` ranks and `restart` more.
void write_sets(const RestartSettings& settings, int compute, int restart,
                const std::vector<double>& times_s, Memory memory = Memory::columns,
                std::int64_t stretch = 7) {
  const FirstRanks team(compute + restart);
  if (team.comm == MPI_COMM_NULL) return;
  MPI_Comm own = MPI_COMM_NULL;
  const bool computes = rank_of(team.comm) < compute;
  MPI_Comm_split(team.comm, computes ? 0 : 1, rank_of(team.comm), &own);
  auto output = Restart::open({team.comm, restart}, settings);
  if (computes) {
    Model model(own, memory, stretch);
    output.define(model.owned);
    for (const auto& field : state_fields()) output.define(field);
    for (const double time_s : times_s) {
      model.fill(time_s);
      output.write(time_s, model.views<FieldView>(), {{"step", fmt::format("{}", time_s)}});
      model.fill(-1.0);  // write() is done with the model's memory
      output.check();
    }
    output.close();
  } else {
    output.serve();
  }
  MPI_Comm_free(&own);
}

/// Finds and reads on the first `ranks` ranks; checks every value. Returns what was found.
RestartSet read_back(const std::string& directory, int ranks, double time_s, Memory memory,
                     std::int64_t stretch) {
  MPI_Barrier(MPI_COMM_WORLD);
  const FirstRanks readers(ranks);
  RestartSet set;
  if (readers.comm != MPI_COMM_NULL) {
    set = find_restart(readers.comm, directory + "/restart");
    CHECK(set.time == ModelTime(time_s));
    CHECK(set.scalars == RestartScalars{{"step", fmt::format("{}", time_s)}});
    Model model(readers.comm, memory, stretch);
    read_restart(readers.comm, set, model.owned, state_fields(), model.views<MutableFieldView>());
    CHECK(model.wrong(time_s) == 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return set;
}

std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

TEST_SUITE("restart") {
  TEST_CASE("the_checksum_is_that_of_gzip") {
    const std::string text = "123456789";
    CHECK(crc32(0, std::as_bytes(std::span(text.data(), text.size()))) == 0xCBF43926U);
    const auto first = crc32(0, std::as_bytes(std::span(text.data(), 4)));
    CHECK(crc32(first, std::as_bytes(std::span(text.data() + 4, 5))) == 0xCBF43926U);
  }

  TEST_CASE("every_mode_on_any_ranks_is_read_on_any_ranks") {
    const int world = ranks_of(MPI_COMM_WORLD);
    for (const auto& mode : restart_modes()) {
      const int fewest = needs_restart_ranks(mode.name) ? 1 : 0;
      for (int restart = fewest; restart <= 2 * fewest; ++restart) {
        for (int compute = std::max(1, restart); compute + restart <= world; ++compute) {
          const SharedDirectory directory;
          write_sets(settings_for(mode.name, directory.path), compute, restart,
                     {0.0, 3600.0, 7200.0});
          for (int readers = 1; readers <= world; ++readers) {
            CAPTURE(mode.name);
            CAPTURE(compute);
            CAPTURE(readers);
            const auto set = read_back(directory.path, readers, 7200.0, Memory::columns,
                                       readers == compute ? 7 : 31);
            CHECK(set.damaged.empty());
          }
        }
      }
    }
  }

  TEST_CASE("layouts_of_memory_may_differ_between_writer_and_reader") {
    const int world = ranks_of(MPI_COMM_WORLD);
    const std::vector<Memory> all{Memory::columns, Memory::lines_with_halo,
                                  Memory::blocks_in_odd_order};
    for (const auto written : all) {
      for (const auto read : all) {
        for (const auto* mode : {"sync", "joint_multifile"}) {
          const SharedDirectory directory;
          write_sets(settings_for(mode, directory.path), world, 0, {60.0}, written);
          read_back(directory.path, world, 60.0, read, 7);
          read_back(directory.path, world, 60.0, read, 50);
        }
      }
    }
  }

  TEST_CASE("transports_carry_the_same_sets") {
    const int world = ranks_of(MPI_COMM_WORLD);
    if (world < 2) return;
    for (const auto* transport : {"shared_memory", "rma", "two_sided"}) {
      const SharedDirectory directory;
      auto settings = settings_for("dedicated_multifile", directory.path);
      settings.transport = transport;
      try {
        write_sets(settings, world - 1, 1, {0.0, 60.0}, Memory::lines_with_halo);
      } catch (const Error& error) {
        CHECK(error.blame() == Blame::user);  // no windows here; thrown on all ranks
        continue;
      }
      read_back(directory.path, world, 60.0, Memory::columns, 9);
    }
  }

  TEST_CASE("keep_removes_older_whole_sets_and_left_overs") {
    const SharedDirectory directory;
    const bool first = rank_of(MPI_COMM_WORLD) == 0;
    const auto restart = directory.path + "/restart";
    if (first) {
      fs::create_directories(restart + "/19990101T000000Z.part");
      fs::create_directories(restart + "/19990101T000000Z");  // no manifest: not whole
      std::ofstream(restart + "/notes.txt") << "not ours\n";
    }
    MPI_Barrier(MPI_COMM_WORLD);
    auto settings = settings_for("joint_multifile", directory.path);
    settings.keep = 2;
    write_sets(settings, ranks_of(MPI_COMM_WORLD), 0, {0.0, 60.0, 120.0, 180.0});
    if (first) {
      CHECK(names_in(restart) ==
            std::vector<std::string>{"20000101T000200Z", "20000101T000300Z", "notes.txt"});
    }
    // A set of the same date is replaced; sets that are newer stay.
    write_sets(settings, 1, 0, {120.0});
    if (first) CHECK(names_in(restart).size() == 3);
    read_back(directory.path, 1, 180.0, Memory::columns, 7);
  }

  TEST_CASE("a_set_between_two_seconds_is_found_and_is_newer_than_that_of_the_second_before") {
    const SharedDirectory directory;
    write_sets(settings_for("sync", directory.path), ranks_of(MPI_COMM_WORLD), 0, {0.0, 1.0, 1.5});
    read_back(directory.path, 1, 1.5, Memory::columns, 7);
    if (rank_of(MPI_COMM_WORLD) == 0) {
      CHECK(names_in(directory.path + "/restart") ==
            std::vector<std::string>{"20000101T000001.500Z", "20000101T000001Z"});
    }
  }

  TEST_CASE("damaged_sets_are_named_and_the_one_before_is_taken") {
    const int world = ranks_of(MPI_COMM_WORLD);
    const bool first = rank_of(MPI_COMM_WORLD) == 0;
    struct Damage {
      const char* sentence;
      std::function<void(const std::string&)> act;
    };
    const auto flip = [](const std::string& path, std::int64_t offset) {
      std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(offset);
      const char letter = static_cast<char>(file.get() ^ 4);
      file.seekp(offset);
      file.put(letter);
    };
    const auto lose = [](const std::string& path) {  // as a power cut may: the size, but no bytes
      const auto size = fs::file_size(path);
      fs::resize_file(path, 0);
      fs::resize_file(path, size);
    };
    const std::vector<Damage> all{
        {"has no manifest", [](const auto& set) { fs::remove(set + "/manifest.json"); }},
        {"its own checksum", [&](const auto& set) { flip(set + "/manifest.json", 200); }},
        {"its own checksum", [](const auto& set) { fs::resize_file(set + "/manifest.json", 0); }},
        {"its own checksum", [&](const auto& set) { lose(set + "/manifest.json"); }},
        {"checksum of bytes", [&](const auto& set) { flip(set + "/parts.bin", 9000); }},
        {"checksum of bytes", [&](const auto& set) { lose(set + "/parts.bin"); }},
        {"bytes instead of",
         [](const auto& set) {
           fs::resize_file(set + "/parts.bin", fs::file_size(set + "/parts.bin") - 1);
         }},
        {"No such file", [](const auto& set) { fs::remove(set + "/parts.bin"); }},
    };
    for (const auto& damage : all) {
      const SharedDirectory directory;
      write_sets(settings_for("sync", directory.path), world, 0, {0.0, 60.0});
      if (first) damage.act(directory.path + "/restart/20000101T000100Z");
      const auto set = read_back(directory.path, world, 0.0, Memory::columns, 11);
      REQUIRE(set.damaged.size() == 1);
      CAPTURE(set.damaged[0]);
      CHECK(set.damaged[0].find(damage.sentence) != std::string::npos);
      CHECK(set.damaged[0].find("20000101T000100Z") != std::string::npos);
    }
  }

  TEST_CASE("no_set_is_found_where_there_is_none") {
    const SharedDirectory directory;
    CHECK(find_restart(MPI_COMM_WORLD, directory.path + "/restart").path.empty());
    MPI_Barrier(MPI_COMM_WORLD);
  }

  TEST_CASE("a_directory_that_nobody_can_look_at_does_not_count_as_one_without_sets") {
    const SharedDirectory directory;
    const auto path = directory.path + "/restart";
    if (rank_of(MPI_COMM_WORLD) == 0) fs::create_symlink("restart", path);  // not even root can
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_THROWS_WITH_AS(find_restart(MPI_COMM_WORLD, path), doctest::Contains("cannot list"),
                         Error);
    MPI_Barrier(MPI_COMM_WORLD);
  }

  TEST_CASE("what_does_not_fit_is_refused_in_one_sentence") {
    const SharedDirectory directory;
    write_sets(settings_for("joint_multifile", directory.path), ranks_of(MPI_COMM_WORLD), 0, {0.0});
    MPI_Barrier(MPI_COMM_WORLD);
    const auto set = find_restart(MPI_COMM_WORLD, directory.path + "/restart");
    Model model(MPI_COMM_WORLD, Memory::columns, 7);
    const auto refusal = [&](auto fields, auto owned) -> std::string {
      try {
        auto views = model.views<MutableFieldView>();
        for (std::size_t i = 0; i < fields.size(); ++i) views[i].type = fields[i].type;
        read_restart(MPI_COMM_WORLD, set, owned, fields, views);
      } catch (const Error& error) {
        CHECK(error.blame() == Blame::user);
        return error.what();
      }
      return "";
    };
    auto fields = state_fields();
    fields[0].name = "deeper";
    CHECK(refusal(fields, model.owned).find("has no field 'deeper'") != std::string::npos);
    fields = state_fields();
    fields[0].levels = 4;
    CHECK(refusal(fields, model.owned).find("has 5 levels instead of 4; define") !=
          std::string::npos);
    fields[0] = state_fields()[0];
    fields[1].type = ValueType::float64;
    CHECK(refusal(fields, model.owned) ==
          fmt::format("field 'flat' of restart set '{}' has values of type float32 instead of "
                      "float64; define the state as the run did that wrote it",
                      set.path));
    auto owned = model.owned;
    owned[0].global_size += 1;
    CHECK(refusal(state_fields(), owned).find("another grid") != std::string::npos);
    MPI_Barrier(MPI_COMM_WORLD);
  }

  TEST_CASE("a_view_of_one_rank_that_cannot_be_read_into_is_told_on_all_ranks") {
    const SharedDirectory directory;
    write_sets(settings_for("joint_multifile", directory.path), ranks_of(MPI_COMM_WORLD), 0, {0.0});
    MPI_Barrier(MPI_COMM_WORLD);
    const auto set = find_restart(MPI_COMM_WORLD, directory.path + "/restart");
    Model model(MPI_COMM_WORLD, Memory::columns, 7);
    auto views = model.views<MutableFieldView>();
    const auto read = [&] {
      read_restart(MPI_COMM_WORLD, set, model.owned, state_fields(), views);
    };
    const int last = ranks_of(MPI_COMM_WORLD) - 1;
    if (rank_of(MPI_COMM_WORLD) == last) views[1].values = nullptr;
    CHECK_THROWS_WITH_AS(read(), "field 'flat' of the state is to be read without values", Error);
    if (rank_of(MPI_COMM_WORLD) == last) views.pop_back();
    CHECK_THROWS_WITH_AS(read(), doctest::Contains("3 fields, but 2 views were given"), Error);
    views = model.views<MutableFieldView>();
    if (rank_of(MPI_COMM_WORLD) == last) views[2].type = ValueType::float64;
    CHECK_THROWS_WITH_AS(read(),
                         doctest::Contains("'marks' of the state is to be read with values "
                                           "of another type than defined"),
                         Error);
  }

  TEST_CASE("what_cannot_be_a_state_is_refused_where_it_is_defined") {
    const SharedDirectory directory;
    const auto settings = settings_for("sync", directory.path);
    CHECK_THROWS_WITH_AS(Restart::open(RestartRanks{}, settings),
                         doctest::Contains("not on an I/O rank"), Error);
    auto restart = Restart::open({MPI_COMM_WORLD, 0}, settings);
    Model model(MPI_COMM_WORLD, Memory::columns, 7);
    restart.define(model.owned);
    for (const int none : {0, -3}) {
      auto field = state_fields()[0];
      field.levels = none;
      CHECK_THROWS_WITH_AS(restart.define(field), doctest::Contains("it needs at least one"),
                           Error);
    }
    restart.close();
  }

  TEST_CASE("a_directory_that_cannot_be_written_fails_on_all_ranks") {
    const int world = ranks_of(MPI_COMM_WORLD);
    for (const auto& mode : restart_modes()) {
      const int restart = needs_restart_ranks(mode.name) ? 1 : 0;
      if (world - restart < 1) continue;
      const SharedDirectory directory;
      if (rank_of(MPI_COMM_WORLD) == 0) std::ofstream(directory.path + "/restart") << "a file\n";
      MPI_Barrier(MPI_COMM_WORLD);
      std::string sentence;
      try {
        write_sets(settings_for(mode.name, directory.path), world - restart, restart, {0.0, 60.0});
      } catch (const Error& error) {
        CHECK(error.blame() == Blame::file_system);
        sentence = error.what();
      }
      CAPTURE(mode.name);
      CHECK(sentence.find("cannot create the directory") != std::string::npos);
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }

  TEST_CASE("every_member_of_a_restarts_settings_is_compared_by_open") {
    int visited = 0;
    const RestartSettings settings;
    visit_settings(settings, [&](const char*, const auto&) { ++visited; });
    CHECK(visited == count_members<RestartSettings>());
  }

  TEST_CASE("settings_of_one_rank_that_differ_are_named_on_all_ranks") {
    if (ranks_of(MPI_COMM_WORLD) < 3) return;
    RestartSettings settings;
    RestartRanks ranks{MPI_COMM_WORLD, 0};
    if (rank_of(MPI_COMM_WORLD) == 1) {
      settings.mode = "async";
      ranks.restart_ranks = 1;
    }
    CHECK_THROWS_WITH_AS(Restart::open(ranks, settings),
                         "the ranks differ in [restart] mode, [restart] ranks: rank 1 says other "
                         "than the rest; give all ranks the same settings",
                         Error);
  }

  TEST_CASE("settings_are_checked") {
    RestartSettings settings;
    settings.mode = "asynch";
    CHECK_THROWS_WITH_AS(check_restart(settings, 2, 1), doctest::Contains("Did you mean 'async'?"),
                         Error);
    settings.mode = "async";
    CHECK_THROWS_WITH_AS(check_restart(settings, 2, 0), doctest::Contains("at least 1"), Error);
    CHECK_THROWS_WITH_AS(check_restart(settings, 1, 2), doctest::Contains("more than"), Error);
    CHECK_THROWS_WITH_AS(check_restart(settings, 4, -1), doctest::Contains("negative"), Error);
    CHECK_NOTHROW(check_restart(settings, 2, 2));
    settings.timeout_s = -1.0;
    CHECK_THROWS_WITH_AS(check_restart(settings, 2, 2), doctest::Contains("larger than 0"), Error);
  }
}
