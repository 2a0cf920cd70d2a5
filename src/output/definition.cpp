// SPDX-License-Identifier: Apache-2.0
// Resolves streams and packs a definition for the I/O ranks.
#include "output/definition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "thalweg/error.hpp"

namespace thalweg {

namespace {

// Does one word of a stream's variable list ("vor", "all", "group:2d") mean this field?
bool names(const std::string& word, const FieldInfo& field) {
  if (word == "all" || word == "group:all") return true;
  if (word == "group:2d") return field.levels == 1;
  if (word == "group:3d") return field.levels > 1;
  return word == field.name;
}

}  // namespace

std::vector<int> resolve_variables(const StreamSettings& stream,
                                   std::span<const FieldInfo> fields) {
  const auto where = fmt::format("[[output]] '{}'", stream.name);
  std::vector<bool> wanted(fields.size());
  for (const auto& word : stream.variables) {
    bool known = false;
    for (std::size_t index = 0; index < fields.size(); ++index) {
      if (!names(word, fields[index])) continue;
      known = true;
      wanted[index] = true;
    }
    if (known) continue;
    std::vector<std::string> all{"all", "group:2d", "group:3d"};
    for (const auto& field : fields) all.push_back(field.name);
    throw Error(Blame::user, fmt::format("{}: variable '{}' does not exist; `thalweg fields` lists "
                                         "them.{}",
                                         where, word, did_you_mean(word, all)));
  }
  std::vector<int> chosen;
  for (std::size_t index = 0; index < fields.size(); ++index) {
    const auto* place = place_names[static_cast<std::size_t>(fields[index].place)];
    if (wanted[index] && (stream.place == "all" || stream.place == place)) {
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
  const auto& chosen = streams[static_cast<std::size_t>(stream)];
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
  return fields[static_cast<std::size_t>(stream.fields[static_cast<std::size_t>(position)])];
}

std::int64_t Definition::values_of_step(const Stream& stream) const {
  std::int64_t values = 0;
  for (const int index : stream.fields) {
    const auto& field = fields[static_cast<std::size_t>(index)];
    values += sizes[static_cast<std::size_t>(field.place)] *
              static_cast<std::int64_t>(levels_of(stream, field).size());
  }
  return values;
}

std::int64_t Definition::bytes_of_step(const Stream& stream) const {
  return values_of_step(stream) * (stream.settings.precision == "float64" ? 8 : 4);
}

std::string Definition::to_json() const {
  nlohmann::json packed{{"sizes", sizes}};
  for (const auto& field : fields) {
    packed["fields"].push_back({field.name, field.standard_name, field.long_name, field.units,
                                static_cast<int>(field.place), field.levels,
                                static_cast<int>(field.type)});
  }
  for (const auto& stream : streams) {
    const auto& s = stream.settings;
    packed["streams"].push_back({{"name", s.name},
                                 {"interval", s.interval_s},
                                 {"start", s.start_s},
                                 {"end", s.end_s},
                                 {"file_interval", s.file_interval_s},
                                 {"levels", s.levels},
                                 {"precision", s.precision},
                                 {"partitions", s.partitions},
                                 {"container", s.container},
                                 {"layout", s.layout},
                                 {"compression", s.compression},
                                 {"compression_level", s.compression_level},
                                 {"bits", s.bits},
                                 {"fields", stream.fields},
                                 {"first_lane", stream.first_lane}});
  }
  return packed.dump();
}

Definition Definition::from_json(const std::string& text, const OutputSettings& settings) {
  const auto packed = nlohmann::json::parse(text);
  Definition definition;
  definition.settings = settings;
  definition.sizes = packed["sizes"];
  for (const auto& field : packed.value("fields", nlohmann::json::array())) {
    definition.fields.push_back({field[0], field[1], field[2], field[3],
                                 static_cast<Place>(field[4].get<int>()), field[5],
                                 static_cast<ValueType>(field[6].get<int>())});
  }
  for (const auto& entry : packed.value("streams", nlohmann::json::array())) {
    StreamSettings s;
    s.name = entry["name"];
    s.interval_s = entry["interval"];
    s.start_s = entry["start"];
    s.end_s = entry["end"];
    s.file_interval_s = entry["file_interval"];
    s.levels = entry["levels"].get<std::vector<int>>();
    s.precision = entry["precision"];
    s.partitions = entry["partitions"];
    s.container = entry["container"];
    s.layout = entry["layout"];
    s.compression = entry["compression"];
    s.compression_level = entry["compression_level"];
    s.bits = entry["bits"];
    definition.streams.push_back({s, Schedule(s), entry["fields"], entry["first_lane"]});
  }
  return definition;
}

}  // namespace thalweg
