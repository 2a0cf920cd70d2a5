// SPDX-License-Identifier: Apache-2.0
// Facts about a stream's settings: each comes from settings.toml and arrives on the I/O ranks.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <concepts>
#include <cstdint>
#include <utility>
#include <variant>

#include "count_members.hpp"
#include "output/deal/definition.hpp"
#include "settings/settings_list.hpp"
#include "thalweg/settings.hpp"

using namespace thalweg;

namespace {

void make_other(std::string& value) { value += "x"; }
void make_other(ModelTime& value) { value = value + ModelTime::of_ms(1001); }
void make_other(int& value) { value += 1; }
void make_other(std::vector<std::string>& value) { value.emplace_back("x"); }
void make_other(std::vector<int>& value) { value.push_back(7); }

std::vector<std::string> words_allowed(const std::string& key) {
  for (const auto& table : settings_list()) {
    for (const auto& setting : table.settings) {
      if (table.name == "output" && setting.key == key) return setting.allowed;
    }
  }
  return {};
}

/// A stream that differs from the default in the setting of this key alone.
StreamSettings with_other(const std::string& chosen) {
  StreamSettings settings;
  visit_settings(settings, [&](const std::string& key, auto& value) {
    if (key != chosen) return;
    if constexpr (std::same_as<std::remove_cvref_t<decltype(value)>, std::string>) {
      const auto allowed = words_allowed(key);  // another of them, where the setting has a list
      if (!allowed.empty()) {
        value = value == allowed.front() ? allowed.back() : allowed.front();
        return;
      }
    }
    make_other(value);
  });
  return settings;
}

/// A value in TOML that is not the default.
std::string other_than_default(const SettingSpec& setting) {
  if (setting.type == "integer")
    return fmt::format("{}", std::get<std::int64_t>(*setting.default_value) + 1);
  if (setting.type == "number")
    return fmt::format("{:.1f}", std::get<double>(*setting.default_value) + 1.0);
  if (setting.type == "duration") return "\"PT77S\"";
  for (const auto& word : setting.allowed) {
    if (SettingValue(word) != *setting.default_value) return fmt::format("\"{}\"", word);
  }
  return "\"other\"";
}

/// Every member of an output's settings as text, as they come from this experiment.
std::string output_settings_of(const std::string& experiment) {
  std::string all;
  const auto settings = output_settings(Experiment::parse(experiment, "case.toml"), "run");
  visit_settings(settings, [&](const char*, const auto& value) {
    if constexpr (requires { value.ms(); }) {
      all += fmt::format("{} ", value.ms());
    } else {
      all += fmt::format("{} ", value);
    }
  });
  return all;
}

std::vector<std::string> visited_keys() {
  std::vector<std::string> keys;
  const StreamSettings settings;
  visit_settings(settings, [&](const char* key, const auto&) { keys.emplace_back(key); });
  return keys;
}

}  // namespace

TEST_CASE("a_program_that_names_its_own_directory_has_its_journals_there") {
  const auto settings = output_settings(Experiment::parse("", "case.toml"), "");
  CHECK(settings.journals == "");
  CHECK(settings.directory == OutputSettings().directory);
}

TEST_CASE("every_member_of_a_streams_settings_is_visited") {
  const int members = count_members<StreamSettings>() - 1 + count_members<Compression>();
  CHECK(static_cast<int>(visited_keys().size()) == members);
}

TEST_CASE("every_member_of_an_outputs_settings_is_compared_by_open") {
  int visited = 0;
  const OutputSettings settings;
  visit_settings(settings, [&](const char*, const auto&) { ++visited; });
  CHECK(visited == count_members<OutputSettings>());
}

TEST_CASE("every_setting_of_a_stream_is_in_settings_toml_and_the_other_way_round") {
  std::vector<std::string> listed;
  for (const auto& table : settings_list()) {
    if (table.name != "output") continue;
    for (const auto& setting : table.settings) listed.push_back(setting.key);
  }
  CHECK(visited_keys() == listed);
}

TEST_CASE("every_setting_of_a_stream_arrives_on_io_ranks") {
  for (const auto& key : visited_keys()) {
    CAPTURE(key);
    const auto settings = with_other(key);
    CHECK_FALSE(settings == StreamSettings{});
    Definition definition;
    definition.streams.push_back({settings, Schedule(settings), {0}, 0});
    const auto arrived = Definition::from_json(definition.to_json(), {});
    REQUIRE(arrived.streams.size() == 1);
    CHECK(arrived.streams.front().settings == settings);
  }
}

TEST_CASE("every_setting_of_io_and_every_attribute_reaches_the_output") {
  const auto as_it_is = output_settings_of("");
  for (const auto& table : settings_list()) {
    if (table.name != "io" && table.name != "attributes") continue;
    for (const auto& setting : table.settings) {
      if (setting.type == "flag") continue;  // events: what the program keeps, no part of an output
      const auto line = fmt::format("{} = {}", setting.key, other_than_default(setting));
      CAPTURE(line);
      CHECK(output_settings_of(fmt::format("[{}]\n{}\n", table.name, line)) != as_it_is);
    }
  }
}

TEST_CASE("a_stream_has_the_defaults_of_settings_toml") {
  const auto experiment = Experiment::parse("[[output]]\n", "case.toml");
  auto settings = stream_settings(experiment).front();
  CHECK(settings.end.seconds() == experiment.table("time").number("duration"));
  settings.end = 0.0;  // a stream of the library ends with its last output
  CHECK(settings == StreamSettings{});
}

TEST_CASE("settings_of_an_experiment_reach_the_stream") {
  const auto experiment = Experiment::parse(R"(
    [[output]]
    name = "a"
    variables = ["ta"]
    levels = [1, 3]
    partitions = 2
    end = "PT3H"
    compression = "zstd"
    compression_level = 7
    bits = 12
  )",
                                            "case.toml");
  const auto settings = stream_settings(experiment).front();
  CHECK(settings.name == "a");
  CHECK(settings.variables == std::vector<std::string>{"ta"});
  CHECK(settings.levels == std::vector<int>{1, 3});
  CHECK(settings.partitions == 2);
  CHECK(settings.end.seconds() == 10800.0);
  CHECK(settings.compression == Compression{"zstd", 7, 12});
}
