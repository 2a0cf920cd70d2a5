// SPDX-License-Identifier: Apache-2.0
// Asks the end of one journal in each lane: its files are written one after the other.
#include "output/files/coverage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <vector>

#include "file/entries.hpp"
#include "output/deal/describe_file.hpp"
#include "output/deal/mode.hpp"
#include "output/files/begun.hpp"
#include "output/files/continuations.hpp"
#include "output/files/own_journals.hpp"
#include "output/files/reached.hpp"

namespace thalweg {

namespace {

namespace fs = std::filesystem;

/// Ends of the journals that are there, of a lane's files from `begin` to before `end`.
std::vector<JournalEnd> journals_of(const Definition& definition, int stream, int partition,
                                    int begin, int end) {
  std::vector<JournalEnd> ends;
  const auto directory = journal_directory(definition);
  std::set<fs::path> there;  // one listing: most of many files have none
  for (const auto& name : names_in(directory)) there.insert(fs::path(directory) / name);
  const auto& files = definition.streams[stream].schedule.files();
  for (int file = begin; file < end && !there.empty(); ++file) {
    const auto path = journal_of(definition, stream, file);
    if (files[file].partition != partition || !there.contains(path)) continue;
    if (const auto journal = own_journal_end(definition, path)) ends.push_back(*journal);
  }
  return ends;
}

}  // namespace

std::string why_not_passed(const Definition& definition, int stream, int step) {
  const auto& schedule = definition.streams[stream].schedule;
  const auto& files = schedule.files();
  const int partition = schedule.partition_of(step), file = schedule.file_of(step);
  const auto path = file_path(definition, stream, file);
  const auto missing =
      fmt::format("the output of stream '{}' at {} s is not in '{}'",
                  definition.streams[stream].settings.name, schedule.time(step).seconds(), path);
  if (const auto journal = own_journal_end(definition, journal_of(definition, stream, file))) {
    if (journal->changing) return fmt::format("'{}' was being changed by HDF5", path);
    const bool own_files = find_mode(definition.settings.mode).own_files;
    // Only then is all of it read.
    if (!journal->closed && own_files && is_fragile(definition, stream)) {
      const auto content = read_journal(journal_of(definition, stream, file));
      if (content && is_broken_off(definition, stream, *content))
        return fmt::format("parts of '{}' were being changed by their writers", path);
    }
    return journal->all_passed || journal->step >= step ? "" : missing;
  }
  // A file without times is removed, and journals may have been cleared away: then a later one has
  // been begun.
  const auto later =
      journals_of(definition, stream, partition, file + 1, static_cast<int>(files.size()));
  return later.empty() ? missing : "";
}

std::string why_not_followed(const Definition& definition, int stream, ModelTime time) {
  const auto& missed = definition.begun.missed_from;
  if (missed.empty() || !missed[stream]) return {};
  const auto longest = with_longest_schedules(definition);
  const auto& schedule = longest.streams[stream].schedule;
  const auto end = definition.streams[stream].settings.end;
  for (int step = 0; step < schedule.steps() && schedule.time(step) <= time; ++step) {
    if (schedule.time(step) <= *missed[stream]) continue;
    // Later than it ends now, it has those that were written.
    if (schedule.time(step) > end && !why_not_passed(longest, stream, step).empty()) continue;
    return fmt::format(
        "the run went on from {} s without stream '{}', which has outputs after that",
        missed[stream]->seconds(), definition.streams[stream].settings.name);
  }
  return {};
}

bool is_passed_over(const Definition& definition, int stream, const FileTimes& file) {
  const auto after = *definition.continues_after;
  const auto reached = read_reached(definition, after);
  const int lane = definition.streams[stream].first_lane + file.partition;
  if (reached.has_passed_over(stream, lane, file.steps.front())) return true;
  const auto gaps = gaps_before(definition)[stream];
  return std::all_of(file.times.begin(), file.times.end(),
                     [&](ModelTime time) { return time > after || gaps.has(time); });
}

std::vector<ModelTime> kept_until(const Definition& definition) {
  std::vector<ModelTime> kept(definition.streams.size());
  if (!definition.continues_after) return kept;
  const auto longest = with_longest_schedules(definition);
  const auto reached = read_reached(definition, *definition.continues_after);
  const auto gaps =
      definition.same_files ? gaps_before(definition) : std::vector<Gaps>(kept.size());
  for (int number = 0; number < static_cast<int>(kept.size()); ++number) {
    kept[number] = std::min(definition.streams[number].settings.end, *definition.continues_after);
    const auto& stream = longest.streams[number];
    for (int step = 0; step < stream.schedule.steps(); ++step) {
      const auto time = stream.schedule.time(step);
      if (time <= kept[number]) continue;
      if (time > definition.continues_after) break;
      const int lane = stream.first_lane + stream.schedule.partition_of(step);
      if (!gaps[number].has(time) && !reached.has_passed_over(number, lane, step) &&
          !why_not_passed(longest, number, step).empty())
        break;
      kept[number] = time;
    }
  }
  return kept;
}

std::string missing_output(const Definition& definition, ModelTime time) {
  if (time < definition.begun.after)
    return fmt::format("its streams begin at {} s", definition.begun.after->seconds());
  const auto reached = read_reached(definition, time);
  const auto gaps = gaps_before(definition, time);
  for (int number = 0; number < static_cast<int>(definition.streams.size()); ++number) {
    if (const auto why = why_not_followed(definition, number, time); !why.empty()) return why;
    const auto& stream = definition.streams[number];
    const auto& schedule = stream.schedule;
    std::vector<int> last(stream.settings.partitions, -1);
    for (int step = 0; step < schedule.steps() && schedule.time(step) <= time; ++step)
      if (!gaps[number].has(schedule.time(step))) last[schedule.partition_of(step)] = step;
    for (std::size_t partition = 0; partition < last.size(); ++partition) {
      auto step = last[partition];
      const int lane = stream.first_lane + static_cast<int>(partition);
      if (reached.has_passed_over(number, lane, step)) step = reached.last[lane];
      if (step < 0 || schedule.time(step) <= definition.continues_after ||
          schedule.time(step) <= definition.begun.after)
        continue;
      if (const auto why = why_not_passed(definition, number, step); !why.empty()) return why;
    }
  }
  return {};
}

namespace {

/// Which file a step would be in, of a run without an end.
std::int64_t span_of(const StreamSettings& stream, std::int64_t step) {
  if (stream.file_interval <= ModelTime()) return 0;
  return step * stream.interval.ms() / stream.file_interval.ms();
}

ModelTime lane_changes_from(const Definition& definition, int stream, int partition,
                            ModelTime time) {
  const auto& settings = definition.streams[stream].settings;
  const auto& schedule = definition.streams[stream].schedule;
  const auto none = time + ModelTime::of_ms(1);
  if (time < settings.start) return none;
  const auto last = (time - settings.start).ms() / settings.interval.ms();
  auto step = last - (last - partition) % settings.partitions;
  while (step >= schedule.steps()) step -= settings.partitions;
  if (last < partition || step < 0) return none;
  const int file = schedule.file_of(static_cast<int>(step));
  // Who continues may end later than this run or stream, and goes on in a file that ended early.
  bool reaches = span_of(settings, step) == span_of(settings, step + settings.partitions);
  if (!reaches) {
    const auto journal = own_journal_end(definition, journal_of(definition, stream, file));
    reaches = journal && !journal->closed;
  }
  return reaches ? schedule.files()[file].times.front() : none;
}

}  // namespace

std::vector<ModelTime> changes_from(const Definition& definition, ModelTime time) {
  std::vector<ModelTime> from;
  for (int stream = 0; stream < static_cast<int>(definition.streams.size()); ++stream) {
    if (!is_fragile(definition, stream)) continue;
    for (int partition = 0; partition < definition.streams[stream].settings.partitions; ++partition)
      from.push_back(lane_changes_from(definition, stream, partition, time));
  }
  return from;
}

std::string missing_output(const OutputSettings& settings, std::span<const StreamSettings> streams,
                           ModelTime time) {
  auto definition = definition_of(settings, streams);
  if (const auto begun = read_begun(definition, true)) definition.begun = *begun;
  return missing_output(definition, time);
}

}  // namespace thalweg
