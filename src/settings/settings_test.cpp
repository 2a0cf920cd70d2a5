// SPDX-License-Identifier: Apache-2.0
// Facts about reading experiments: defaults, and one sentence for every kind of mistake.
#include "thalweg/settings.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "settings/settings_list.hpp"
#include "thalweg/error.hpp"

using namespace thalweg;

namespace {

/// Writes an experiment file of its own for each rank, reads it, removes it.
struct ExperimentFile {
  std::string path;
  explicit ExperimentFile(const std::string& text) {
    path = (std::filesystem::temp_directory_path() /
            ("thalweg_settings_" + std::to_string(getpid()) + ".toml"))
               .string();
    std::ofstream(path) << text;
  }
  ~ExperimentFile() { std::filesystem::remove(path); }
};

Experiment read(const std::string& text) { return Experiment::read(ExperimentFile(text).path); }

/// The sentence without the name of the file, "" if nothing was thrown.
std::string sentence(const std::string& text) {
  const ExperimentFile file(text);
  try {
    Experiment::read(file.path);
  } catch (const Error& error) {
    CHECK(error.blame() == Blame::user);
    const std::string full = error.what();
    const std::string name = std::filesystem::path(file.path).filename();
    CHECK(full.find(name) == 0);
    return full.substr(name.size());
  }
  return "";
}

}  // namespace

TEST_CASE("an_empty_experiment_has_every_default_and_no_output") {
  const Experiment experiment = read("");
  CHECK(experiment.outputs.empty());
  CHECK(experiment.table("grid").text("name") == "R2B4");
  CHECK(experiment.table("model").integer("levels") == 30);
  CHECK(experiment.table("model").number("cfl") == 0.8);
  CHECK(experiment.table("time").number("duration") == 86400.0);
  CHECK(experiment.table("time").text("start") == "2000-01-01T00:00:00Z");
  CHECK(experiment.table("io").number("timeout") == 600.0);
}

TEST_CASE("given_settings_replace_defaults") {
  const Experiment experiment = read(R"(
    [model]
    levels = 3
    cfl = 1
    [time]
    start = 1979-01-01
    duration = "P1DT6H"
    [[output]]
    name = "a"
    variables = ["ta", "ua"]
    levels = [1, 3]
    interval = 1800
    [[output]]
  )");
  CHECK(experiment.table("model").integer("levels") == 3);
  CHECK(experiment.table("model").number("cfl") == 1.0);
  CHECK(experiment.table("time").text("start") == "1979-01-01T00:00:00Z");
  CHECK(experiment.table("time").number("duration") == 108000.0);
  REQUIRE(experiment.outputs.size() == 2);
  CHECK(experiment.outputs[0].texts("variables") == std::vector<std::string>{"ta", "ua"});
  CHECK(experiment.outputs[0].integers("levels") == std::vector<std::int64_t>{1, 3});
  CHECK(experiment.outputs[0].number("interval") == 1800.0);
  CHECK(experiment.outputs[1].text("name") == "out");
}

TEST_CASE("unknown_names_get_the_list_and_a_proposal") {
  CHECK(sentence("[io]\nway = \"directt\"") ==
        " [io]: way 'directt' does not exist; choose one of: direct, mpiio. Did you mean "
        "'direct'?");
  CHECK(sentence("[io]\nrank = 1") ==
        " [io]: key 'rank' does not exist; choose one of: mode, ranks, placement, transport, "
        "backpressure, budget, spill_directory, way, page_cache, hints, events, timeout. "
        "Did you mean 'ranks'?");
  CHECK(sentence("[gird]\nname = \"R2B4\"") ==
        ": table 'gird' does not exist; choose one of: grid, model, time, output, io, restart, "
        "attributes, machine. Did "
        "you mean 'grid'?");
  CHECK(sentence("levels = 3").find(": top-level key 'levels' does not exist") == 0);
}

TEST_CASE("a_table_must_be_written_as_one") {
  CHECK(sentence("io = 3") == ": 'io' must be one table; write [io] on a line of its own, once");
  CHECK(sentence("[[io]]\nranks = 1") ==
        ": 'io' must be one table; write [io] on a line of its own, once");
  CHECK(sentence("[output]\nname = \"a\"") ==
        ": 'output' must be a list of tables; write [[output]] on a line of its own");
  CHECK(sentence("output = [1]").find(": 'output' must be a list of tables") == 0);
  CHECK(read("output = []").outputs.empty());
}

TEST_CASE("wrong_types_say_what_is_wanted") {
  CHECK(sentence("[io]\nranks = \"two\"") ==
        " [io]: ranks is 'two', but must be a whole number without point and exponent");
  CHECK(sentence("[io]\nranks = 1e300") ==
        " [io]: ranks is 1e+300, but must be a whole number without point and exponent");
  CHECK(sentence("[[output]]\ninterval = \"P1M\"").find("months and years") != std::string::npos);
  CHECK(sentence("[io]\nmode = 3") == " [io]: mode is 3, but must be a text in quotes");
  CHECK(sentence("[model]\ncfl = \"large\"") == " [model]: cfl is 'large', but must be a number");
  CHECK(sentence("[model]\ncfl = inf") == " [model]: cfl is inf, but must be a number");
  CHECK(sentence("[[output]]\nvariables = \"ta\"")
            .find(" [output]: variables is 'ta', but must be a list of texts") == 0);
  CHECK(sentence("[[output]]\nvariables = [1]")
            .find(" [output]: variables is 1, but must be a list of texts") == 0);
  CHECK(sentence("[[output]]\nlevels = [\"a\"]").find("but must be a list of whole numbers") !=
        std::string::npos);
  CHECK(sentence("[[output]]\nlevels = 1").find("but must be a list of whole numbers") !=
        std::string::npos);
}

TEST_CASE("values_out_of_range_are_refused") {
  CHECK(sentence("[model]\nlevels = 4294967297") ==
        " [model]: levels is 4294967297, but must be at most 10000");
  CHECK(sentence("[io]\nranks = 4294967297") ==
        " [io]: ranks is 4294967297, but must be at most 1000000");
  CHECK(sentence("[io]\nbudget = 9223372036854775807") ==
        " [io]: budget is 9223372036854775807, but must be at most 16777216");
  CHECK(sentence("[[output]]\npartitions = 2147483647") ==
        " [output]: partitions is 2147483647, but must be at most 1000");
  CHECK(sentence("[model]\ncfl = 9007199254740993") ==
        " [model]: cfl is 9.00719925474e+15, but must be at most 10");
  CHECK(sentence("[model]\nlevels = 0") == " [model]: levels is 0, but must be at least 1");
  CHECK(sentence("[model]\ncfl = 0.0") == " [model]: cfl is 0, but must be larger than 0");
  CHECK(sentence("[[output]]\nlevels = [0]") == " [output]: levels is 0, but must be at least 1");
}

TEST_CASE("durations_dates_and_grids_are_checked") {
  CHECK(sentence("[[output]]\ninterval = \"-PT1H\"") ==
        " [output]: interval is -3600 s, but must be larger than 0 s");
  CHECK(sentence("[[output]]\nstart = -1") == " [output]: start is -1 s, but must be at least 0 s");
  CHECK(sentence("[time]\nduration = \"1 day\"")
            .find(" [time]: duration is '1 day', but must be a duration") == 0);
  CHECK(sentence("[time]\nstart = \"2000-13-01\"")
            .find(" [time]: start is '2000-13-01', but must be a date") == 0);
  for (const char* name : {"", "banana", "R2", "B4", "RB", "R0B4", "R00B1", "R2B", "RB4", "R2B-1",
                           "R2B4x", "xR2B4", "r2b4"}) {
    CAPTURE(name);
    CHECK(sentence("[grid]\nname = \"" + std::string(name) + "\"")
              .find("', but must be a grid RnBk") != std::string::npos);
  }
  for (const char* name : {"R2B4", "R02B04", "R1B0", "R10B9"}) {
    CHECK(sentence("[grid]\nname = \"" + std::string(name) + "\"") == "");
  }
}

TEST_CASE("streams_need_different_names") {
  CHECK(sentence("[[output]]\n[[output]]\n") ==
        " [[output]]: two streams have the name 'out'; give each its own name");
}

TEST_CASE("broken_toml_is_one_sentence_with_its_line") {
  const std::string text = sentence("[io]\n\nranks = = 2\n");
  CHECK(text.find(" line 3: ") == 0);
  CHECK(text.find('\n') == std::string::npos);
}

TEST_CASE("a_file_that_cannot_be_read_is_the_users_error") {
  CHECK_THROWS_WITH(Experiment::read("no_such_file.toml"),
                    "experiment file 'no_such_file.toml' cannot be read (No such file or "
                    "directory); check its path");
  CHECK_THROWS_WITH(Experiment::read("/"),
                    "experiment file '/' cannot be read (Is a directory); check its path");
}

TEST_CASE("asking_for_what_settings_toml_does_not_list_is_our_bug") {
  const Experiment experiment = read("");
  CHECK_THROWS_AS(experiment.table("tuning"), Error);
  CHECK_THROWS_AS(experiment.table("io").integer("rank"), Error);
  CHECK_THROWS_AS(experiment.table("io").integer("mode"), Error);
  CHECK_THROWS_AS(experiment.table("io").flag("mode"), Error);
}

TEST_CASE("every_number_has_a_range") {
  for (const TableSpec& table : settings_list()) {
    for (const SettingSpec& setting : table.settings) {
      CAPTURE(setting.key);
      const bool number = setting.type == "integer" || setting.type == "integers" ||
                          setting.type == "number" || setting.type == "duration";
      CHECK(setting.maximum.has_value() == number);
      CHECK((setting.minimum || setting.exclusive_minimum) == number);
    }
  }
}

TEST_CASE("settings_toml_lists_every_setting_once") {
  for (const TableSpec& table : settings_list()) {
    for (std::size_t i = 0; i < table.settings.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) CHECK(table.settings[i].key != table.settings[j].key);
    }
  }
}
