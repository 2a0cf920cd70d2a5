// SPDX-License-Identifier: Apache-2.0
// Processes of one program know each other by the name that the launcher gave their job.
#include "output/files/continuations.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <random>

#include "base/warning.hpp"
#include "file/entries.hpp"
#include "output/files/own_journals.hpp"

namespace thalweg {

namespace {

namespace fs = std::filesystem;
using Json = BegunJson;

std::string new_name() {
  std::random_device device;
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  std::seed_seq seed{device(), device(), static_cast<unsigned>(now),
                     static_cast<unsigned>(getpid())};
  return fmt::format("{:016x}", std::mt19937_64(seed)());
}

Json entry_of(const Json& known, const Stream& stream) {
  return known.value(stream.settings.name, Json::object());
}

Json continuations_of(const Json& entry) { return entry.value("went_on", Json::object()); }

/// Of this program: Open MPI, MPICH, Slurm; without a launcher it is this process.
std::string job_name() {
  static const std::string own = new_name();
  std::string name;
  for (const char* word : {"PMIX_NAMESPACE", "PMI_JOBID", "SLURM_JOB_ID", "SLURM_STEP_ID"})
    if (const char* text = std::getenv(word)) name += fmt::format("{} ", text);
  return name.empty() ? own : name;
}

/// None that one of these streams took part in: it may go on from the same time again.
std::string name_of_continuation(const Json& known, const Definition& definition) {
  const auto& streams = definition.streams;
  for (int count = 1;; ++count) {
    auto name = fmt::format("{}at {} ms, {}", job_name(), definition.continues_after->ms(), count);
    if (std::none_of(streams.begin(), streams.end(), [&](const Stream& stream) {
          return continuations_of(entry_of(known, stream)).contains(name);
        }))
      return name;
  }
}

}  // namespace

std::string name_of_run(const Definition& definition, const std::string& known) {
  static std::map<std::string, std::string> names;  // of this process, by directory
  auto& name = names[whole_path(journal_directory(definition))];
  if (!known.empty()) return name = known;
  const auto all = known_streams(definition);
  const auto& streams = definition.streams;
  const auto has_name = [&](const Json& entry) { return entry.value("run", "") == name; };
  const bool begins_again = std::any_of(streams.begin(), streams.end(), [&](const Stream& stream) {
    return has_name(entry_of(all, stream));
  });
  const bool is_shared = std::any_of(all.begin(), all.end(), has_name);
  if (name.empty() || begins_again || !is_shared) name = new_name();
  return name;
}

std::set<std::string> names_of_runs(const Definition& definition) {
  std::set<std::string> names;
  for (const auto& entry : known_streams(definition)) names.insert(entry.value("run", ""));
  return names;
}

Json continuations_with(const Json& streams, const Definition& definition) {
  Json all = Json::object();
  for (const auto& entry : streams)
    if (entry.value("run", "") == definition.begun.run) all.update(continuations_of(entry));
  if (definition.same_files && definition.continues_after)
    all[name_of_continuation(streams, definition)] = definition.continues_after->ms();
  return all;
}

void forget_common_continuations(Json& streams, const std::string& run) {
  std::vector<Json*> entries;
  for (auto& entry : streams)
    if (entry.value("run", "") == run) entries.push_back(&entry);
  if (entries.empty()) return;
  const auto some = continuations_of(*entries.front());
  for (const auto& [name, time_ms] : some.items()) {
    const bool common = std::all_of(entries.begin(), entries.end(), [&](const Json* entry) {
      return continuations_of(*entry).contains(name);
    });
    if (!common) continue;
    for (auto* entry : entries) (*entry)["went_on"].erase(name);
  }
}

std::optional<ModelTime> missed_from(const Json& streams, const Json& stream) {
  std::optional<ModelTime> missed;
  const auto own = continuations_of(stream);
  for (const auto& entry : streams) {
    if (entry.value("run", "") != stream.value("run", "")) continue;
    const auto others = continuations_of(entry);
    for (const auto& [name, time_ms] : others.items()) {
      const auto time = ModelTime::of_ms(time_ms);
      if (!own.contains(name) && (!missed || time < *missed)) missed = time;
    }
  }
  return missed;
}

std::vector<ModelTime> ends_before(const Definition& definition) {
  std::vector<ModelTime> ends;
  const auto known = known_streams(definition);
  for (const auto& stream : definition.streams) {
    const auto entry = entry_of(known, stream);
    ends.push_back(ModelTime(entry.value("end_s", 0.0)));
  }
  return ends;
}

bool Gaps::has(ModelTime time) const {
  return std::any_of(after_until.begin(), after_until.end(),
                     [&](const auto& gap) { return gap.first < time && time <= gap.second; });
}

Json to_json(const Gaps& gaps) {
  Json json = Json::array();
  for (const auto& [after, until] : gaps.after_until) json.push_back({after.ms(), until.ms()});
  return json;
}

std::vector<Gaps> gaps_before(const Definition& definition, ModelTime until) {
  std::vector<Gaps> all;
  const auto known = known_streams(definition);
  const auto ends = ends_before(definition);
  for (std::size_t number = 0; number < ends.size(); ++number) {
    auto& gaps = all.emplace_back().after_until;
    const auto add = [&](ModelTime after, ModelTime last) {
      if (after < std::min(last, until)) gaps.emplace_back(after, std::min(last, until));
    };
    const auto entry = entry_of(known, definition.streams[number]);
    const auto listed = entry.value("gaps_ms", Json::array());
    for (const auto& gap : listed) add(ModelTime::of_ms(gap[0]), ModelTime::of_ms(gap[1]));
    if (ends[number] > ModelTime()) add(ends[number], until);
  }
  return all;
}

std::vector<Gaps> gaps_before(const Definition& definition) {
  return gaps_before(definition, definition.continues_after.value_or(ModelTime()));
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
        "stream '{}' ended at {} s in the run before: its outputs from {} s to {} s are in no file",
        stream.settings.name, ends[number].seconds(), gap.front().seconds(), gap.back().seconds()));
  }
}

}  // namespace thalweg
