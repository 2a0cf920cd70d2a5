// SPDX-License-Identifier: Apache-2.0
// Resolves streams and packs a definition for the I/O ranks.
#include "output/deal/definition.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "thalweg/error.hpp"

namespace thalweg {

// Times travel as whole milliseconds; nlohmann::json finds these by their name.
static void to_json(nlohmann::json& packed, ModelTime time) { packed = time.ms(); }
static void from_json(const nlohmann::json& packed, ModelTime& time) {
  time = ModelTime::of_ms(packed.get<std::int64_t>());
}

namespace {

// Does one word of a stream's variable list ("vor", "all", "group:2d") mean this field?
bool names(const std::string& word, const FieldInfo& field) {
  if (field.on_request) return word == field.name;
  if (word == "all" || word == "group:all") return true;
  if (word == "group:2d") return field.levels == 1;
  if (word == "group:3d") return field.levels > 1;
  return word == field.name;
}

}  // namespace

std::vector<int> resolve_variables(const StreamSettings& stream,
                                   std::span<const FieldInfo> fields) {
  const auto where = fmt::format("[[output]] '{}'", stream.name);
  if (fields.empty()) {
    throw Error(Blame::user,
                fmt::format("{}: no field is defined yet; define all fields before the "
                            "streams, the first put and questions about output times",
                            where));
  }
  std::vector<bool> wanted(fields.size());
  for (const auto& word : stream.variables) {
    bool known = false;
    for (std::size_t index = 0; index < fields.size(); ++index) {
      if (!names(word, fields[index])) continue;
      known = true;
      wanted[index] = true;
    }
    if (known) continue;
    if (word == "group:2d" || word == "group:3d") {
      throw Error(Blame::user,
                  fmt::format("{}: '{}' names no field: none has {}", where, word,
                              word == "group:2d" ? "one level only" : "several levels"));
    }
    std::vector<std::string> all{"all", "group:2d", "group:3d"};
    for (const auto& field : fields) all.push_back(field.name);
    throw Error(Blame::user,
                fmt::format("{}: variable '{}' does not exist; choose one of: {}.{}", where, word,
                            fmt::join(all, ", "), did_you_mean(word, all)));
  }
  const auto place = words_of(stream).place;
  std::vector<int> chosen;
  for (std::size_t index = 0; index < fields.size(); ++index) {
    if (wanted[index] && place.value_or(fields[index].place) == fields[index].place) {
      chosen.push_back(static_cast<int>(index));
    }
  }
  if (chosen.empty()) {
    throw Error(Blame::user,
                fmt::format("{}: none of its variables lives on place '{}'; choose other "
                            "variables or place = \"all\"",
                            where, stream.place));
  }
  return chosen;
}

int Definition::lanes() const {
  return streams.empty() ? 0 : streams.back().first_lane + streams.back().settings.partitions;
}

int Definition::lane_of(int stream, int step) const {
  const auto& chosen = streams[stream];
  return chosen.first_lane + chosen.schedule.partition_of(step);
}

int Definition::stream_of(int lane) const {
  const auto after = std::find_if(streams.begin(), streams.end(), [&](const Stream& stream) {
    return lane < stream.first_lane + stream.settings.partitions;
  });
  return static_cast<int>(after - streams.begin());
}

std::vector<int> Definition::levels_of(const Stream& stream, const FieldInfo& field) const {
  std::vector<int> levels;
  if (field.levels == 1) return {0};
  if (stream.settings.levels.empty()) {
    for (int level = 0; level < field.levels; ++level) levels.push_back(level);
  }
  for (const int number : stream.settings.levels) levels.push_back(number - 1);
  return levels;
}

const FieldInfo& Definition::field_of(const Stream& stream, int position) const {
  return fields[stream.fields[position]];
}

std::int64_t Definition::bytes_of_step(const Stream& stream) const {
  std::int64_t bytes = 0;
  for (const int index : stream.fields) {
    const auto& field = fields[index];
    bytes += sizes[field.place] * static_cast<std::int64_t>(levels_of(stream, field).size() *
                                                            bytes_of(stream.type_of(field)));
  }
  return bytes;
}

std::string Definition::to_json() const {
  nlohmann::json packed{
      {"sizes", sizes}, {"history", history}, {"attributes", settings.attributes}};
  packed["same_files"] = same_files;
  if (continues_after) packed["continues_after_ms"] = continues_after->ms();
  if (begun.after) packed["begun_after_ms"] = begun.after->ms();
  packed["run"] = begun.run;
  for (const auto& field : fields) {
    packed["fields"].push_back({field.name, field.standard_name, field.long_name, field.units,
                                static_cast<int>(field.place), field.levels,
                                static_cast<int>(field.type), field.height_m, field.half_levels});
  }
  for (const auto& stream : streams) {
    nlohmann::json settings;
    visit_settings(stream.settings,
                   [&](const char* key, const auto& value) { settings[key] = value; });
    packed["streams"].push_back(
        {{"settings", settings}, {"fields", stream.fields}, {"first_lane", stream.first_lane}});
  }
  return packed.dump();
}

Definition Definition::from_json(const std::string& text, const OutputSettings& settings) {
  const auto packed = nlohmann::json::parse(text);
  Definition definition;
  definition.use(settings);
  definition.sizes = {packed["sizes"].get<std::array<std::int64_t, 3>>()};
  definition.history = packed["history"];
  definition.settings.attributes = packed["attributes"].get<std::map<std::string, std::string>>();
  for (const auto& field : packed.value("fields", nlohmann::json::array())) {
    definition.fields.push_back(
        {field[0], field[1], field[2], field[3], static_cast<Place>(field[4].get<int>()), field[5],
         static_cast<ValueType>(field[6].get<int>()), field[7], false, field[8]});
  }
  for (const auto& entry : packed.value("streams", nlohmann::json::array())) {
    StreamSettings s;
    visit_settings(
        s, [&](const char* key, auto& value) { entry.at("settings").at(key).get_to(value); });
    definition.streams.push_back({s, Schedule(s), entry["fields"], entry["first_lane"]});
  }
  definition.same_files = packed["same_files"];
  if (packed.contains("continues_after_ms")) {
    definition.continue_after(ModelTime::of_ms(packed["continues_after_ms"]),
                              definition.same_files);
  }
  if (packed.contains("begun_after_ms"))
    definition.begun.after = ModelTime::of_ms(packed["begun_after_ms"]);
  definition.begun.run = packed["run"];
  return definition;
}

Definition definition_of(const OutputSettings& settings, std::span<const StreamSettings> streams) {
  Definition definition;
  definition.use(settings);
  for (const auto& given : streams) {
    const auto stream = with_end(given, settings.duration);
    check_schedule(stream);
    definition.streams.push_back({stream, Schedule(stream), {}, definition.lanes()});
  }
  return definition;
}

void Definition::use(const OutputSettings& chosen) {
  settings = chosen;
  words = words_of(chosen);
}

void Definition::continue_after(ModelTime time, bool in_same_files) {
  continues_after = time;
  same_files = in_same_files;
  for (auto& stream : streams) stream.schedule.begin_after(time);
}

}  // namespace thalweg
