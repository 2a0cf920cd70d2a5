// SPDX-License-Identifier: Apache-2.0
// Looks at files and journals of an interrupted run; changes nothing.
#include "output/files/kept_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "file/entries.hpp"
#include "file/file_bytes.hpp"
#include "output/deal/describe_file.hpp"
#include "output/files/begun.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

namespace {

namespace fs = std::filesystem;

bool is_complete(const std::string& path) {
  return is_present(path) && !is_present(path + ".part");
}

bool is_there(const std::string& path) { return is_present(path) || is_present(path + ".part"); }

/// All that a file consists of when it is complete: itself or its parts and, where there is one,
/// the index over them; and what the container writes beside each.
std::vector<std::string> complete_paths(const Definition& definition, const LaneDivision& lane,
                                        int stream, int file) {
  const auto& settings = definition.streams[stream].settings;
  const auto* beside = find_container(settings.container, definition.settings.way).beside;
  std::vector<std::string> paths;
  for (const int writer : lane.team) {
    paths.push_back(describe_file(definition, lane, stream, file, writer).path);
    if (beside != nullptr) paths.push_back(paths.back() + beside);
  }
  if (has_index(definition, lane, stream)) paths.push_back(file_path(definition, stream, file));
  return paths;
}

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
    if (const auto journal = read_journal_end(path)) ends.push_back(*journal);
  }
  return ends;
}

/// Where a path below the directory of the run lies: its file or store may have its final name.
fs::path found_path(const fs::path& directory, const fs::path& path) {
  if (is_present(directory / path)) return directory / path;
  auto aside = directory / (path.begin()->string() + ".part");
  for (auto name = std::next(path.begin()); name != path.end(); ++name) aside /= *name;
  return aside;
}

/// Throws if something is shorter than what a journal tells of it: what was cut off would come back
/// as zeros. What a complete store has lost altogether is its own to look for.
void require_bytes(const JournalContent& content, bool complete, const fs::path& directory) {
  std::map<std::string, std::int64_t> ends;
  for (const auto& line : content.lines) {
    for (const auto& part : line.files) {
      const auto written = part.value("blocks", JournalJson::object());
      for (const auto& [path, blocks] : written.items()) {
        auto& end = ends[path];
        for (const auto& block : blocks_from_json(blocks))
          end = std::max(end, block.offset + block.bytes);
      }
    }
  }
  for (const auto& [path, end] : ends) {
    const auto found = found_path(directory, path);
    if (!complete || is_present(found)) require_size(found, end);
  }
}

}  // namespace

bool is_fragile(const Definition& definition, int stream) {
  const auto& chosen = definition.streams[stream];
  const auto& container = find_container(chosen.settings.container, definition.settings.way);
  FileDescription known;
  known.compression = chosen.settings.compression;
  known.chunked = chosen.words.layout == Layout::chunked;
  return container.fragile != nullptr && container.fragile(known);
}

bool change_alone(const LaneDivision& lane) { return lane.own_files && lane.team.size() > 1; }

namespace {

/// Has the run got as far as `step` in its lane: written, dropped or passed over? Its files are
/// written one after the other.
bool has_passed(const Definition& definition, int stream, int step) {
  const auto& schedule = definition.streams[stream].schedule;
  const auto& files = schedule.files();
  const int partition = schedule.partition_of(step), file = schedule.file_of(step);
  if (const auto journal = read_journal_end(journal_of(definition, stream, file))) {
    // Its parts are changed by writers that do not ask the head, who keeps the journal.
    const bool unknown =
        find_mode(definition.settings.mode).own_files && is_fragile(definition, stream);
    if (journal->changing || (unknown && !journal->closed)) return false;
    return journal->all_passed || journal->step >= step;
  }
  // Complete, and its journal has been cleared away: unless it is of another run, and this one is
  // still at an earlier file.
  if (is_complete(file_path(definition, stream, file)) && files[file].steps.back() <= step) {
    const auto earlier = journals_of(definition, stream, partition, 0, file);
    return std::all_of(earlier.begin(), earlier.end(),
                       [](const JournalEnd& end) { return end.closed; });
  }
  // A file without times is removed: then a later one has been begun.
  return !journals_of(definition, stream, partition, file + 1, static_cast<int>(files.size()))
              .empty();
}

}  // namespace

std::string journal_directory(const Definition& definition) {
  const auto& settings = definition.settings;
  return settings.journals.empty() ? settings.directory + "/journal" : settings.journals;
}

std::string journal_of(const Definition& definition, int stream, int file) {
  return journal_path(journal_directory(definition), file_path(definition, stream, file));
}

std::optional<JournalContent> kept_of(const Definition& definition, const LaneDivision& lane,
                                      int stream, int file, const std::string& settings) {
  const auto after = *definition.continues_after;
  const auto& [partition, steps, times] = definition.streams[stream].schedule.files()[file];
  const auto& begun = definition.begun.after;
  const auto is_own = [&](ModelTime time) { return time <= after && !(time <= begun); };
  const bool ends_before = times.back() <= after;
  if (std::none_of(times.begin(), times.end(), is_own))  // all of it belongs to another run
    return ends_before ? std::nullopt : std::optional(JournalContent());
  const auto paths = complete_paths(definition, lane, stream, file);
  if (ends_before && std::all_of(paths.begin(), paths.end(), is_complete)) return std::nullopt;
  auto content = read_journal(journal_of(definition, stream, file));
  if (ends_before && std::none_of(paths.begin(), paths.end(), is_there)) {
    // Somebody has moved it away, or it never had a time.
    const bool ended = content ? content->closed : has_passed(definition, stream, steps.back());
    if (ended) return std::nullopt;
  }
  const auto name = file_path(definition, stream, file);
  if (!content) {
    throw Error(
        Blame::user,
        fmt::format("there is no '{}', which tells what '{}' holds of the times up to {} s; "
                    "put it back from where the run was copied, or begin anew",
                    journal_of(definition, stream, file), name, after.seconds()));
  }
  if (content->settings != settings) {
    throw Error(Blame::user,
                fmt::format("'{}' was begun with other settings ({}) than this run has ({}); "
                            "continue with the settings, and for parts of writers their number, of "
                            "the run before",
                            name, content->settings, settings));
  }
  const bool unknown = change_alone(lane) && is_fragile(definition, stream) && !content->closed;
  if (content->changing || unknown) {
    throw Error(Blame::user,
                fmt::format("'{}' was being changed by HDF5 when the run was killed, and may be "
                            "broken; continue from a checkpoint before its first time, or begin "
                            "anew; runs that begin with [io] way = \"direct\" do not have the "
                            "problem",
                            name));
  }
  auto& lines = content->lines;
  lines.erase(std::find_if(lines.begin(), lines.end(),
                           [&](const JournalLine& line) { return line.time > after; }),
              lines.end());
  // A file that was completed may have been cut to its times: values lie elsewhere since then.
  const bool some = std::any_of(paths.begin(), paths.end(), is_present);
  if (content->closed ? !content->unmoved : some) forget_blocks(*content);
  const bool complete = std::exchange(content->closed, false);
  content->unmoved = false;
  require_bytes(*content, complete, definition.settings.directory);
  return content;
}

std::optional<JournalContent> written_before(const Definition& definition, int stream, int file) {
  auto content = read_journal(journal_of(definition, stream, file));
  return content && content->unmoved ? content : std::nullopt;
}

namespace {

/// Throws if a byte of what a journal tells is not what was written.
void require_unharmed(const JournalContent& content, const fs::path& directory) {
  for (const auto& line : content.lines) {
    for (const auto& part : line.files) {
      const auto written = part.value("blocks", JournalJson::object());
      for (const auto& [path, blocks] : written.items()) {
        const auto found = found_path(directory, path);
        if (!is_present(found)) continue;
        const FileBytes file(found.string(), O_RDONLY);
        for (const auto& block : blocks_from_json(blocks)) {
          const auto now = read_block(file, block.offset, block.offset + block.bytes);
          if (now.crc32 == block.crc32) continue;
          throw Error(Blame::user,
                      fmt::format("'{}' is not what was written: the checksum of bytes {} to {}, "
                                  "at {} s, does not hold; put it back as it was, or begin anew",
                                  found.string(), block.offset, block.offset + block.bytes - 1,
                                  line.time.seconds()));
        }
      }
    }
  }
}

}  // namespace

void require_kept(const Definition& definition, std::span<const LaneDivision> lanes) {
  for (int lane = 0; lane < static_cast<int>(lanes.size()); ++lane) {
    const int stream = definition.stream_of(lane);
    const auto& chosen = definition.streams[stream];
    const auto& files = chosen.schedule.files();
    for (int file = 0; file < static_cast<int>(files.size()); ++file) {
      if (chosen.first_lane + files[file].partition != lane) continue;
      if (files[file].times.front() > *definition.continues_after) continue;
      const auto settings = file_settings(definition, lanes[lane], stream, file);
      const auto kept = kept_of(definition, lanes[lane], stream, file, settings);
      // Of complete files too: a damaged journal is refused before anything is changed.
      const auto before = written_before(definition, stream, file);
      if (!kept || kept->lines.empty()) continue;
      for (const int writer : lanes[lane].team)
        require_file(describe_file(definition, lanes[lane], stream, file, writer).path);
      if (before) require_unharmed(*before, definition.settings.directory);
    }
  }
}

std::string missing_output(const Definition& definition, ModelTime time,
                           const std::optional<HandedOver>& so_far) {
  for (int number = 0; number < static_cast<int>(definition.streams.size()); ++number) {
    const auto& stream = definition.streams[number];
    const auto& schedule = stream.schedule;
    std::vector<int> last(stream.settings.partitions, -1);
    for (int step = 0; step < schedule.steps() && schedule.time(step) <= time; ++step)
      last[schedule.partition_of(step)] = step;
    for (std::size_t partition = 0; partition < last.size(); ++partition) {
      auto step = last[partition];
      if (so_far && step < so_far->next[number])
        step = std::min(step, so_far->last[stream.first_lane + partition]);
      if (step < 0 || schedule.time(step) <= definition.continues_after ||
          schedule.time(step) <= definition.begun.after)
        continue;
      if (has_passed(definition, number, step)) continue;
      return fmt::format("the output of stream '{}' at {} s is not in '{}'", stream.settings.name,
                         schedule.time(step).seconds(),
                         file_path(definition, number, schedule.file_of(step)));
    }
  }
  return {};
}

std::string missing_output(const OutputSettings& settings, std::span<const StreamSettings> streams,
                           ModelTime time) {
  auto definition = definition_of(settings, streams);
  if (const auto begun = read_begun(definition)) definition.begun = *begun;
  return missing_output(definition, time, std::nullopt);
}

}  // namespace thalweg
