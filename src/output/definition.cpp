// SPDX-License-Identifier: Apache-2.0
// Resolves streams, lays out staging memory, and packs a definition for the I/O ranks.
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

std::string Definition::to_json() const {
  nlohmann::json packed{{"sizes", sizes},
                        {"directory", settings.directory},
                        {"start_date", settings.start_date},
                        {"title", settings.title},
                        {"source", settings.source},
                        {"grid", settings.grid}};
  for (const auto& field : fields) {
    packed["fields"].push_back({field.name, field.standard_name, field.long_name, field.units,
                                static_cast<int>(field.place), field.levels});
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
                                 {"layout", s.layout},
                                 {"fields", stream.fields},
                                 {"first_lane", stream.first_lane}});
  }
  return packed.dump();
}

Definition Definition::from_json(const std::string& text) {
  const auto packed = nlohmann::json::parse(text);
  Definition definition;
  definition.sizes = packed["sizes"];
  definition.settings.directory = packed["directory"];
  definition.settings.start_date = packed["start_date"];
  definition.settings.title = packed["title"];
  definition.settings.source = packed["source"];
  definition.settings.grid = packed["grid"];
  for (const auto& field : packed.value("fields", nlohmann::json::array())) {
    definition.fields.push_back({field[0], field[1], field[2], field[3],
                                 static_cast<Place>(field[4].get<int>()), field[5]});
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
    s.layout = entry["layout"];
    definition.streams.push_back({s, Schedule(s), entry["fields"], entry["first_lane"]});
  }
  return definition;
}

SlotMap::SlotMap(const Definition& definition, const std::array<std::int64_t, 3>& owned) {
  for (const auto& stream : definition.streams) {
    for (int partition = 0; partition < stream.settings.partitions; ++partition) {
      Lane lane{total_, {0}};
      for (const int index : stream.fields) {
        const auto& field = definition.fields[static_cast<std::size_t>(index)];
        const auto levels = static_cast<std::int64_t>(definition.levels_of(stream, field).size());
        lane.begin.push_back(lane.begin.back() +
                             levels * owned[static_cast<std::size_t>(field.place)]);
      }
      total_ += slots_per_lane * lane.begin.back();
      lanes_.push_back(std::move(lane));
    }
  }
}

std::int64_t SlotMap::slot_offset(int lane, int slot) const {
  const auto& entry = lanes_[static_cast<std::size_t>(lane)];
  return entry.offset + slot * entry.begin.back();
}

std::int64_t SlotMap::field_offset(int lane, int field) const {
  return lanes_[static_cast<std::size_t>(lane)].begin[static_cast<std::size_t>(field)];
}

std::int64_t SlotMap::field_size(int lane, int field) const {
  return field_offset(lane, field + 1) - field_offset(lane, field);
}

std::int64_t SlotMap::slot_size(int lane) const {
  return lanes_[static_cast<std::size_t>(lane)].begin.back();
}

}  // namespace thalweg
