// SPDX-License-Identifier: Apache-2.0
// {"streams": {NAME: {"start_date", "container": texts, "interval_s", "start_s", "file_interval_s",
// "partitions": numbers, "end_s": number, "files": path from here to the files, "run": a name,
// "after_ms": number and "from": path, of a run that began from a checkpoint}}}
#include "output/files/begun.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include "base/warning.hpp"
#include "file/file_bytes.hpp"
#include "output/files/kept_files.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string path_of(const Definition& definition) {
  return journal_directory(definition) + "/begun.json";
}

/// What names and boundaries of a stream's files follow from.
Json times_of(const Definition& definition, const Stream& stream) {
  const auto& settings = stream.settings;
  return {
      {"start_date", definition.settings.start_date},        {"container", settings.container},
      {"interval_s", settings.interval.seconds()},           {"start_s", settings.start.seconds()},
      {"file_interval_s", settings.file_interval.seconds()}, {"partitions", settings.partitions}};
}

/// From the journals to the files; a run may be moved as a whole.
std::string way_to_files(const Definition& definition) {
  std::error_code unknown;
  const auto whole = [&](const std::string& path) {
    return fs::weakly_canonical(fs::absolute(path, unknown), unknown);
  };
  return whole(definition.settings.directory)
      .lexically_relative(whole(journal_directory(definition)))
      .string();
}

/// Journals of files elsewhere would be taken for those of ours, and ours written over them.
void require_own_files(const Definition& definition, const Json& known) {
  const auto ours = way_to_files(definition);
  for (const auto& stream : definition.streams) {
    const auto& name = stream.settings.name;
    if (!known.contains(name)) continue;
    const auto theirs = known[name].value("files", ours);
    if (theirs == ours) continue;
    const auto journals = journal_directory(definition);
    throw Error(
        Blame::user,
        fmt::format("'{}' holds the journals of stream '{}' in '{}', not of that in '{}'; "
                    "give this output a directory for journals of its own",
                    journals, name, (fs::path(journals) / theirs).lexically_normal().string(),
                    definition.settings.directory));
  }
}

bool is_whole(const Json& entry) {
  return entry.is_object() && (!entry.contains("end_s") || entry["end_s"].is_number()) &&
         (!entry.contains("files") || entry["files"].is_string()) &&
         (!entry.contains("run") || entry["run"].is_string()) &&
         (!entry.contains("after_ms") || entry["after_ms"].is_number_integer()) &&
         (!entry.contains("from") || entry["from"].is_string());
}

Json streams_of(const std::string& path) {
  const auto text = text_of(path);
  if (!text) return Json::object();
  const auto content = Json::parse(*text, nullptr, false);
  if (content.is_object() && content.contains("streams") && content["streams"].is_object()) {
    const auto& streams = content["streams"];
    if (std::all_of(streams.begin(), streams.end(), is_whole)) return streams;
  }
  throw Error(Blame::user,
              fmt::format("'{}' is damaged, which tells how the run began; put it back "
                          "from where it was copied, or begin anew",
                          path));
}

}  // namespace

std::optional<BegunRun> read_begun(const Definition& definition) {
  const auto path = path_of(definition);
  const auto known = streams_of(path);
  require_own_files(definition, known);
  std::vector<std::string> differences;
  std::optional<BegunRun> begun;
  for (const auto& stream : definition.streams) {
    const auto& name = stream.settings.name;
    if (!known.contains(name)) {
      differences.push_back(fmt::format("'{}' is not among them", name));
      continue;
    }
    const auto& before = known[name];
    const auto times = times_of(definition, stream);
    for (const auto& [key, now] : times.items()) {
      const auto was = before.contains(key) ? before[key].dump() : "none";
      if (was == now.dump()) continue;
      differences.push_back(fmt::format("'{}' had {} {} and has {}", name, key, was, now.dump()));
    }
    begun.emplace();
    begun->run = before.value("run", "");
    if (!before.contains("after_ms")) continue;
    begun->after = ModelTime::of_ms(before["after_ms"]);
    begun->from = before.value("from", "");
  }
  if (!begun || differences.empty()) return begun;
  throw Error(
      Blame::user,
      fmt::format("the files in '{}' were begun with other [[output]] streams than those of "
                  "this run ('{}': {}); continue with the same ones, or write into another "
                  "directory, where files of their own begin",
                  definition.settings.directory, path, fmt::join(differences, ", ")));
}

void require_own_journals(const Definition& definition) {
  Json known = Json::object();
  try {
    known = streams_of(path_of(definition));
  } catch (const Error&) {  // damaged: told where it is needed
  }
  require_own_files(definition, known);
}

std::string name_of_a_run() {
  std::random_device device;
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  std::seed_seq seed{device(), device(), static_cast<unsigned>(now),
                     static_cast<unsigned>(getpid())};
  return fmt::format("{:016x}", std::mt19937_64(seed)());
}

std::vector<ModelTime> ends_before(const Definition& definition) {
  std::vector<ModelTime> ends;
  Json known = Json::object();
  try {
    known = streams_of(path_of(definition));
  } catch (const Error&) {  // damaged: who continues has been refused, who begins begins anew
  }
  for (const auto& stream : definition.streams) {
    const auto entry = known.value(stream.settings.name, Json::object());
    ends.push_back(ModelTime(entry.value("end_s", 0.0)));
  }
  return ends;
}

Definition with_longest_schedules(const Definition& definition) {
  auto longest = definition;
  const auto ends = ends_before(definition);
  for (std::size_t number = 0; number < ends.size(); ++number) {
    auto& stream = longest.streams[number];
    if (ends[number] <= stream.settings.end) continue;
    stream.settings.end = ends[number];
    stream.schedule = Schedule(stream.settings);
  }
  return longest;
}

void write_begun(const Definition& definition) {
  if (definition.streams.empty()) return;
  const auto path = path_of(definition);
  make_directory(journal_directory(definition));
  Json all = Json::object();
  try {
    all = streams_of(path);
  } catch (const Error&) {  // damaged, and begun anew
  }
  require_own_files(definition, all);
  const auto& streams = definition.streams;
  const bool replaces = std::any_of(streams.begin(), streams.end(), [&](const Stream& stream) {
    return all.contains(stream.settings.name);
  });
  if (replaces && !definition.same_files) {
    warn_once(
        fmt::format("'{}' holds output of an earlier run, of which this one replaces files of "
                    "the same names; to go on with it, read its state first",
                    definition.settings.directory));
  }
  for (const auto& stream : definition.streams) {
    auto& entry = all[stream.settings.name];
    entry = times_of(definition, stream);
    entry["end_s"] = stream.settings.end.seconds();
    entry["files"] = way_to_files(definition);
    entry["run"] = definition.begun.run;
    if (!definition.begun.after) continue;
    entry["after_ms"] = definition.begun.after->ms();
    entry["from"] = definition.begun.from;
  }
  const auto text = Json{{"streams", all}}.dump(1) + "\n";
  replace_file(path, std::as_bytes(std::span(text)));
}

std::optional<BegunRun> find_begun_run(const OutputSettings& settings,
                                       std::span<const StreamSettings> streams) {
  return read_begun(definition_of(settings, streams));
}

}  // namespace thalweg
