// SPDX-License-Identifier: Apache-2.0
// {"times": [{"time_ms": number, "run": name, "streams": {NAME: {"next": step, "last": [step by
// partition]}}}]}
#include "output/files/reached.hpp"

#include <nlohmann/json.hpp>
#include <span>

#include "file/file_bytes.hpp"
#include "output/files/continuations.hpp"
#include "output/files/own_journals.hpp"
#include "output/files/stream_locks.hpp"

namespace thalweg {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_times = 256;  // checkpoints that may wait for their output

std::string reached_path(const Definition& definition) {
  return journal_directory(definition) + "/reached.json";
}

/// Empty where it cannot be read: then more is asked of the files, never less.
Json times_in(const Definition& definition) {
  const auto text = text_of(reached_path(definition));
  const auto content = text ? Json::parse(*text, nullptr, false) : Json();
  if (!content.is_object() || !content.contains("times") || !content["times"].is_array())
    return Json::array();
  Json times = Json::array();
  for (const auto& known : content["times"]) {
    if (known.is_object() && known.value("time_ms", Json()).is_number_integer() &&
        known.value("run", Json()).is_string() && known.value("streams", Json()).is_object())
      times.push_back(known);
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
  const JournalLock lock(journal_directory(definition));
  Json streams = Json::object();
  for (std::size_t number = 0; number < definition.streams.size(); ++number) {
    const auto& stream = definition.streams[number];
    const auto lanes =
        std::span(reached.last).subspan(stream.first_lane, stream.settings.partitions);
    streams[stream.settings.name] = {{"next", reached.next[number]},
                                     {"last", std::vector<int>(lanes.begin(), lanes.end())}};
  }
  const auto runs = names_of_runs(definition);
  Json times = Json::array();
  for (const auto& known : times_in(definition)) {
    if (known["time_ms"] == time.ms() && known["run"] == definition.begun.run) {
      auto merged = known["streams"];  // with those of the run's other outputs
      merged.update(streams);
      streams = merged;
    } else if (known["run"] == definition.begun.run || runs.contains(known["run"])) {
      times.push_back(known);
    }
  }
  times.push_back({{"time_ms", time.ms()}, {"run", definition.begun.run}, {"streams", streams}});
  while (times.size() > most_times) times.erase(times.begin());
  write_times(definition, times);
}

void rewind_reached(const Definition& definition) {
  if (definition.streams.empty()) return;
  const JournalLock lock(journal_directory(definition));
  const auto all = times_in(definition);
  Json times = Json::array();
  for (auto known : all) {
    const bool stays = ModelTime::of_ms(known["time_ms"]) <= definition.continues_after;
    if (known["run"] == definition.begun.run && !stays)
      for (const auto& stream : definition.streams) known["streams"].erase(stream.settings.name);
    if (!known["streams"].empty()) times.push_back(known);
  }
  if (times != all) write_times(definition, times);
}

Reached read_reached(const Definition& definition, ModelTime time) {
  Json told = Json::object();
  for (const auto& known : times_in(definition)) {
    if (known["time_ms"] == time.ms() && known["run"] == definition.begun.run)
      told = known["streams"];
  }
  Reached reached;
  for (const auto& stream : definition.streams) {
    const auto lanes = static_cast<std::size_t>(stream.settings.partitions);
    std::vector<int> last;
    int next = 0;
    try {
      const auto& mine = told.at(stream.settings.name);
      last = mine.at("last").get<std::vector<int>>();
      next = mine.at("next");
    } catch (const Json::exception&) {  // damaged: as if it were not known
    }
    reached.next.push_back(last.size() == lanes ? next : 0);
    last.resize(lanes, -1);
    reached.last.insert(reached.last.end(), last.begin(), last.end());
  }
  return reached;
}

}  // namespace thalweg
