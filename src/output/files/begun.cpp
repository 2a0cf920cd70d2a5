// SPDX-License-Identifier: Apache-2.0
// Who continues must have the streams that have begun.
#include "output/files/begun.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/warning.hpp"
#include "file/entries.hpp"
#include "file/file_bytes.hpp"
#include "output/files/begun_file.hpp"
#include "output/files/continuations.hpp"
#include "output/files/own_journals.hpp"
#include "output/files/stream_locks.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

namespace {

namespace fs = std::filesystem;
using Json = BegunJson;

/// What names and boundaries of a stream's files follow from.
Json times_of(const Definition& definition, const Stream& stream) {
  const auto& settings = stream.settings;
  return {
      {"start_date", definition.settings.start_date},        {"container", settings.container},
      {"interval_s", settings.interval.seconds()},           {"start_s", settings.start.seconds()},
      {"file_interval_s", settings.file_interval.seconds()}, {"partitions", settings.partitions}};
}

bool has_journals(const Definition& definition) {
  const auto names = names_in(journal_directory(definition));
  return std::any_of(names.begin(), names.end(),
                     [](const std::string& name) { return name.ends_with(".jsonl"); });
}

/// From the journals to the files; a run may be moved as a whole.
std::string way_to_files(const Definition& definition) {
  return fs::path(whole_path(definition.settings.directory))
      .lexically_relative(whole_path(journal_directory(definition)))
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

}  // namespace

std::optional<BegunRun> read_begun(const Definition& definition, bool goes_on) {
  const auto path = begun_path(definition);
  const auto known = read_begun_file(definition);
  require_own_files(definition, known);
  std::vector<std::string> differences;
  std::optional<BegunRun> begun;
  std::string apart;  // a stream of another run than that before it
  std::vector<std::optional<ModelTime>> missed;
  for (const auto& stream : definition.streams) {
    const auto& name = stream.settings.name;
    if (!known.contains(name)) {
      missed.emplace_back();
      if (!has_journals(definition)) continue;  // no output of any stream had begun
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
    missed.push_back(missed_from(known, before));
    BegunRun run;
    run.run = before.value("run", "");
    if (before.contains("after_ms")) {
      run.after = ModelTime::of_ms(before["after_ms"]);
      run.from = before.value("from", "");
    }
    // Who begins again does so at one time, with all of them in a run of its own.
    if (begun && (run.after != begun->after || (goes_on && run.run != begun->run))) apart = name;
    begun = run;
  }
  if (differences.empty() && !apart.empty()) {
    throw Error(Blame::user,
                fmt::format("stream '{}' in '{}' was begun in another run than the streams before "
                            "it ('{}'); continue each run by itself, or begin anew",
                            apart, definition.settings.directory, path));
  }
  if (begun) begun->missed_from = missed;
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

void write_begun(const Definition& definition, std::span<const ModelTime> kept) {
  if (definition.streams.empty()) return;
  make_directory(journal_directory(definition));
  const JournalLock lock(journal_directory(definition));
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
  const auto continuations = continuations_with(all, definition);
  const auto gaps = gaps_before(definition);
  for (std::size_t number = 0; number < streams.size(); ++number) {
    const auto& stream = streams[number];
    auto& entry = all[stream.settings.name];
    entry = times_of(definition, stream);
    entry["end_s"] = std::max(stream.settings.end, kept[number]).seconds();
    entry["files"] = way_to_files(definition);
    entry["run"] = definition.begun.run;
    entry["went_on"] = continuations;
    if (definition.same_files) entry["gaps_ms"] = to_json(gaps[number]);
    if (!definition.begun.after) continue;
    entry["after_ms"] = definition.begun.after->ms();
    entry["from"] = definition.begun.from;
  }
  forget_common_continuations(all, definition.begun.run);
  write_begun_file(definition, all);
}

std::optional<BegunRun> find_begun_run(const OutputSettings& settings,
                                       std::span<const StreamSettings> streams, bool goes_on) {
  return read_begun(definition_of(settings, streams), goes_on);
}

}  // namespace thalweg
