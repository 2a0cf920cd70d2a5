// SPDX-License-Identifier: Apache-2.0
// {"times": [{"time_ms": number, "run": name, "streams": {NAME: {"next": step, "last": [step by
// partition]}}}]}
#include "output/files/reached.hpp"

#include <nlohmann/json.hpp>
#include <span>

#include "file/file_bytes.hpp"
#include "output/files/kept_files.hpp"

namespace thalweg {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_times = 256;  // checkpoints that may wait for their output

std::string reached_path(const Definition& definition) {
  return journal_directory(definition) + "/reached.json";
}

/// Of this run. Empty where it cannot be read: then more is asked of the files, never less.
Json times_in(const Definition& definition) {
  const auto text = text_of(reached_path(definition));
  const auto content = text ? Json::parse(*text, nullptr, false) : Json();
  if (!content.is_object() || !content.contains("times") || !content["times"].is_array())
    return Json::array();
  Json times = Json::array();
  for (const auto& known : content["times"]) {
    const bool whole = known.is_object() && known.value("time_ms", Json()).is_number_integer();
    if (whole && known.value("run", Json()) == definition.begun.run) times.push_back(known);
  }
  return times;
}

void write_times(const Definition& definition, const Json& times) {
  const auto text = Json{{"times", times}}.dump() + "\n";
  replace_file(reached_path(definition), std::as_bytes(std::span(text)));
}

}  // namespace

void write_reached(const Definition& definition, ModelTime time, const Reached& reached) {
  if (definition.streams.empty()) return;
  Json streams = Json::object();
  for (std::size_t number = 0; number < definition.streams.size(); ++number) {
    const auto& stream = definition.streams[number];
    const auto lanes =
        std::span(reached.last).subspan(stream.first_lane, stream.settings.partitions);
    streams[stream.settings.name] = {{"next", reached.next[number]},
                                     {"last", std::vector<int>(lanes.begin(), lanes.end())}};
  }
  Json times = Json::array();
  for (const auto& known : times_in(definition))
    if (known["time_ms"] != time.ms()) times.push_back(known);
  times.push_back({{"time_ms", time.ms()}, {"run", definition.begun.run}, {"streams", streams}});
  while (times.size() > most_times) times.erase(times.begin());
  write_times(definition, times);
}

void rewind_reached(const Definition& definition) {
  const auto all = times_in(definition);
  Json times = Json::array();
  for (const auto& known : all)
    if (ModelTime::of_ms(known["time_ms"]) <= definition.continues_after) times.push_back(known);
  if (times.size() != all.size()) write_times(definition, times);
}

std::optional<Reached> read_reached(const Definition& definition, ModelTime time) {
  try {
    for (const auto& known : times_in(definition)) {
      if (known.at("time_ms") != time.ms()) continue;
      Reached reached;
      for (const auto& stream : definition.streams) {
        const auto& told = known.at("streams").at(stream.settings.name);
        reached.next.push_back(told.at("next"));
        const std::vector<int> last = told.at("last");
        if (static_cast<int>(last.size()) != stream.settings.partitions) return std::nullopt;
        reached.last.insert(reached.last.end(), last.begin(), last.end());
      }
      return reached;
    }
  } catch (const Json::exception&) {  // damaged: as if it were not known
  }
  return std::nullopt;
}

}  // namespace thalweg
