// SPDX-License-Identifier: Apache-2.0
// {"streams": {NAME: {"start_date", "container": texts, "interval_s", "start_s", "file_interval_s",
// "partitions": numbers, "end_s": number, "files": path from here to the files, "run": a name,
// "went_on": {a name of this continuation: its time in ms}, "after_ms": number and "from": path, of
// a run that began from a checkpoint}}}
#include "output/files/begun.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <vector>

#include "base/warning.hpp"
#include "file/file_bytes.hpp"
#include "output/files/own_journals.hpp"
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

fs::path whole(const std::string& path) {
  std::error_code unknown;
  return fs::weakly_canonical(fs::absolute(path, unknown), unknown);
}

/// From the journals to the files; a run may be moved as a whole.
std::string way_to_files(const Definition& definition) {
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

bool are_times(const Json& turns) {
  return turns.is_object() && std::all_of(turns.begin(), turns.end(), [](const Json& time) {
           return time.is_number_integer();
         });
}

bool is_whole(const Json& entry) {
  return entry.is_object() && (!entry.contains("end_s") || entry["end_s"].is_number()) &&
         (!entry.contains("files") || entry["files"].is_string()) &&
         (!entry.contains("run") || entry["run"].is_string()) &&
         (!entry.contains("went_on") || are_times(entry["went_on"])) &&
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

/// For whom it does not matter if they are damaged: who continues is refused by read_begun(), who
/// begins begins anew.
Json known_streams(const Definition& definition) {
  try {
    return streams_of(path_of(definition));
  } catch (const Error&) {
    return Json::object();
  }
}

Json turns_of(const Json& entry) { return entry.value("went_on", Json::object()); }

/// Whenever a run went on, with whatever streams.
Json turns_of_run(const Json& known, const std::string& run) {
  Json all = Json::object();
  for (const auto& entry : known)
    if (entry.value("run", "") == run) all.update(turns_of(entry));
  return all;
}

/// The earliest time at which the run went on without a stream.
std::optional<ModelTime> left_at(const Json& known, const Json& stream) {
  std::optional<ModelTime> left;
  const auto own = turns_of(stream), all = turns_of_run(known, stream.value("run", ""));
  for (const auto& [turn, time_ms] : all.items()) {
    const auto time = ModelTime::of_ms(time_ms);
    if (!own.contains(turn) && (!left || time < *left)) left = time;
  }
  return left;
}

}  // namespace

std::optional<BegunRun> read_begun(const Definition& definition) {
  const auto path = path_of(definition);
  const auto known = streams_of(path);
  require_own_files(definition, known);
  std::vector<std::string> differences;
  std::optional<BegunRun> begun;
  std::string apart;  // a stream of another run than that before it
  std::vector<std::optional<ModelTime>> left;
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
    left.push_back(left_at(known, before));
    BegunRun run;
    run.run = before.value("run", "");
    if (before.contains("after_ms")) {
      run.after = ModelTime::of_ms(before["after_ms"]);
      run.from = before.value("from", "");
    }
    if (begun && (run.run != begun->run || run.after != begun->after)) apart = name;
    begun = run;
  }
  if (differences.empty() && !apart.empty()) {
    throw Error(Blame::user,
                fmt::format("stream '{}' in '{}' was begun in another run than the streams before "
                            "it ('{}'); continue each run by itself",
                            apart, definition.settings.directory, path));
  }
  if (begun) begun->left = left;
  if (!begun || differences.empty()) return begun;
  throw Error(
      Blame::user,
      fmt::format("the files in '{}' were begun with other [[output]] streams than those of "
                  "this run ('{}': {}); continue with the same ones, or write into another "
                  "directory, where files of their own begin",
                  definition.settings.directory, path, fmt::join(differences, ", ")));
}

void require_own_journals(const Definition& definition) {
  require_own_files(definition, known_streams(definition));
}

namespace {

std::string new_name() {
  std::random_device device;
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  std::seed_seq seed{device(), device(), static_cast<unsigned>(now),
                     static_cast<unsigned>(getpid())};
  return fmt::format("{:016x}", std::mt19937_64(seed)());
}

}  // namespace

namespace {

/// The name that outputs of this process share in a directory, until one of their streams has it.
template <class IsTaken>
std::string& shared_name(std::map<std::string, std::string>& names, const Definition& definition,
                         const IsTaken& is_taken) {
  auto& name = names[whole(journal_directory(definition)).string()];
  const auto known = known_streams(definition);
  const auto& streams = definition.streams;
  const bool taken = std::any_of(streams.begin(), streams.end(), [&](const Stream& stream) {
    return is_taken(known.value(stream.settings.name, Json::object()), name);
  });
  if (name.empty() || taken) name = new_name();
  return name;
}

/// This continuation.
std::string name_of_turn(const Definition& definition) {
  static std::map<std::string, std::string> names;
  return shared_name(names, definition, [](const Json& stream, const std::string& name) {
    return turns_of(stream).contains(name);
  });
}

}  // namespace

std::string name_of_run(const Definition& definition, const std::string& known) {
  static std::map<std::string, std::string> names;
  auto& name = shared_name(names, definition, [](const Json& stream, const std::string& taken) {
    return stream.value("run", "") == taken;
  });
  if (!known.empty()) name = known;
  return name;
}

std::vector<ModelTime> ends_before(const Definition& definition) {
  std::vector<ModelTime> ends;
  const auto known = known_streams(definition);
  for (const auto& stream : definition.streams) {
    const auto entry = known.value(stream.settings.name, Json::object());
    ends.push_back(ModelTime(entry.value("end_s", 0.0)));
  }
  return ends;
}

void warn_of_gaps(const Definition& definition) {
  const auto ends = ends_before(definition);
  for (std::size_t number = 0; number < ends.size(); ++number) {
    const auto& stream = definition.streams[number];
    std::vector<ModelTime> gap;
    for (int step = 0; step < stream.schedule.steps(); ++step) {
      const auto time = stream.schedule.time(step);
      if (ends[number] < time && time <= definition.continues_after) gap.push_back(time);
    }
    if (gap.empty() || ends[number] == ModelTime()) continue;
    warn_once(fmt::format(
        "stream '{}' ended at {} s in the run before: its outputs from {} s to "
        "{} s are in no file",
        stream.settings.name, ends[number].seconds(), gap.front().seconds(), gap.back().seconds()));
  }
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
  auto all = known_streams(definition);
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
  const bool goes_on = definition.same_files && definition.continues_after;
  auto turns = turns_of_run(all, definition.begun.run);
  if (goes_on) turns[name_of_turn(definition)] = definition.continues_after->ms();
  for (const auto& stream : streams) {
    auto& entry = all[stream.settings.name];
    entry = times_of(definition, stream);
    if (goes_on) entry["went_on"] = turns;
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

std::set<std::string> names_of_runs(const Definition& definition) {
  std::set<std::string> names;
  for (const auto& entry : known_streams(definition)) names.insert(entry.value("run", ""));
  return names;
}

std::optional<BegunRun> find_begun_run(const OutputSettings& settings,
                                       std::span<const StreamSettings> streams) {
  return read_begun(definition_of(settings, streams));
}

}  // namespace thalweg
