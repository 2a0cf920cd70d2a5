// SPDX-License-Identifier: Apache-2.0
// Looks at files and journals of an interrupted run, and rewinds journals.
#include "output/files/kept_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "base/warning.hpp"
#include "file/checksum_list.hpp"
#include "file/checksum_log.hpp"
#include "file/entries.hpp"
#include "file/file_bytes.hpp"
#include "output/deal/describe_file.hpp"
#include "output/files/begun.hpp"
#include "output/files/coverage.hpp"
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

/// Where a path below the directory of the run lies: its file or store may have its final name.
fs::path found_below(const fs::path& directory, const fs::path& path) {
  fs::path found = thalweg::found_path((directory / *path.begin()).string());
  for (auto name = std::next(path.begin()); name != path.end(); ++name) found /= *name;
  return found;
}

/// act(line, path, blocks) for all that a journal tells of; paths are below the output's directory.
template <class Act>
void for_each_written(const JournalContent& content, const Act& act) {
  for (const auto& line : content.lines) {
    const auto files = line.files();
    for (const auto& part : files) {
      const auto written = part.value("blocks", JournalJson::object());
      for (const auto& [path, blocks] : written.items()) act(line, path, blocks_from_json(blocks));
    }
  }
}

/// Throws if something is shorter than what a journal tells of it: what was cut off would come back
/// as zeros. What a complete store has lost altogether is its own to look for.
void require_bytes(const JournalContent& content, bool complete, const fs::path& directory) {
  std::map<std::string, std::int64_t> ends;
  for_each_written(content, [&](const auto&, const std::string& path, const auto& blocks) {
    auto& end = ends[path];
    for (const auto& block : blocks) end = std::max(end, block.offset + block.bytes);
  });
  for (const auto& [path, end] : ends) {
    const auto found = found_below(directory, path);
    if (!complete || is_present(found)) require_size(found, end);
  }
}

/// Is there nothing to go on with? It is complete, as it was before somebody moved it away, or
/// nothing of it was ever to be written.
bool is_finished(const Definition& definition, int stream, const FileTimes& file,
                 const std::optional<JournalContent>& content, std::span<const std::string> paths,
                 bool accepted) {
  // The stream may have had later times in the run before: they are in its journal, or it has been
  // rewound.
  const auto after = *definition.continues_after;
  if (file.times.back() > after) return false;
  if (content && !content->lines.empty() && content->lines.back().time > after) return false;
  if (std::all_of(paths.begin(), paths.end(), is_complete))
    return !content || (!content->until && !content->more);
  if (std::any_of(paths.begin(), paths.end(), is_there)) return false;
  if (content) return content->closed;
  return accepted || is_passed_over(definition, stream, file) ||
         why_not_passed(definition, stream, file.steps.back()).empty();
}

/// Throws if a run with these settings cannot go on in the file.
void require_usable(const Definition& definition, int stream, int file,
                    const std::optional<JournalContent>& content, const std::string& settings) {
  const auto name = file_path(definition, stream, file);
  if (!content) {
    throw Error(
        Blame::user,
        fmt::format("there is no '{}', which tells what '{}' holds of the times up to {} s; "
                    "put it back from where the run was copied, or begin anew",
                    journal_of(definition, stream, file), name,
                    definition.continues_after->seconds()));
  }
  if (content->settings != settings) {
    throw Error(Blame::user,
                fmt::format("'{}' was begun with other settings ({}) than this run has ({}); "
                            "continue with the settings, and for parts of writers their number, of "
                            "the run before",
                            name, content->settings, settings));
  }
  if (content->changing || is_broken_off(definition, stream, *content)) {
    throw Error(Blame::user,
                fmt::format("'{}' was being changed by HDF5 when the run was killed, and may be "
                            "broken; continue from a checkpoint before its first time, or begin "
                            "anew; runs that begin with [io] way = \"direct\" do not have the "
                            "problem",
                            name));
  }
}

}  // namespace

std::optional<JournalContent> kept_of(const Definition& definition, const LaneDivision& lane,
                                      int stream, int file, const std::string& settings,
                                      bool accepted) {
  const auto after = *definition.continues_after;
  const auto& times = definition.streams[stream].schedule.files()[file];
  const auto is_own = [&](ModelTime time) {
    return time <= after && !(time <= definition.begun.after);
  };
  if (std::none_of(times.times.begin(), times.times.end(), is_own))  // another run's
    return times.times.back() <= after ? std::nullopt : std::optional(JournalContent());
  const auto paths = complete_paths(definition, lane, stream, file);
  auto content = own_journal(definition, journal_of(definition, stream, file));
  if (is_finished(definition, stream, times, content, paths, accepted)) return std::nullopt;
  // It never had a time of this run; a kill may have left one that was only made.
  if (!content && is_passed_over(definition, stream, times)) return JournalContent();
  require_usable(definition, stream, file, content, settings);
  auto& lines = content->lines;
  lines.erase(std::find_if(lines.begin(), lines.end(),
                           [&](const KeptLine& line) { return line.time > after; }),
              lines.end());
  // A file that was completed may have been cut to its times: values lie elsewhere since then.
  const bool some = std::any_of(paths.begin(), paths.end(), is_present);
  if (content->closed ? !content->unmoved : some) forget_blocks(*content);
  const bool complete = std::exchange(content->closed, false);
  content->unmoved = false;
  require_bytes(*content, complete, definition.settings.directory);
  return content;
}

void note_content(const Definition& definition, const JournalContent& content) {
  for_each_written(content, [&](const auto&, const std::string& path, const auto& blocks) {
    note_blocks(definition.settings.directory + "/" + path, blocks);
  });
}

namespace {

/// Of those that are there: others are another output's, or have been moved away.
bool has_all_files(const Definition& definition, const JournalContent& content) {
  bool all = true;
  for_each_written(content, [&](const auto&, const fs::path& path, const auto&) {
    all = all && is_present(definition.settings.directory + "/" + path.begin()->string());
  });
  return all;
}

}  // namespace

void note_left_files(const Definition& definition) {
  if (!collects_checksums()) return;
  std::set<std::string> own;
  for (int stream = 0; stream < static_cast<int>(definition.streams.size()); ++stream) {
    const auto files = definition.streams[stream].schedule.files().size();
    for (std::size_t file = 0; file < files; ++file)
      own.insert(journal_of(definition, stream, static_cast<int>(file)));
  }
  const auto directory = journal_directory(definition);
  for (const auto& name : names_in(directory)) {
    const auto path = directory + "/" + name;
    if (!name.ends_with(".jsonl") || own.contains(path)) continue;
    try {
      const auto content = read_journal(path);  // of an earlier run, too
      if (content && content->unmoved && has_all_files(definition, *content))
        note_content(definition, *content);
    } catch (const Error&) {  // damaged: it tells nothing, and is not gone on with
    }
  }
}

std::optional<JournalContent> written_before(const Definition& definition, int stream, int file) {
  auto content = own_journal(definition, journal_of(definition, stream, file));
  return content && content->unmoved ? content : std::nullopt;
}

namespace {

[[noreturn]] void refuse_harmed(const fs::path& found, const WrittenBlock& block,
                                const std::string& of) {
  throw Error(Blame::user,
              fmt::format("'{}' is not what was written: the checksum of bytes {} to {}{} does not "
                          "hold; put it back as it was, or begin anew",
                          found.string(), block.offset, block.offset + block.bytes - 1, of));
}

bool holds(const FileBytes& file, const WrittenBlock& block) {
  return read_block(file, block.offset, block.offset + block.bytes).crc32 == block.crc32;
}

/// Throws if a byte of what a journal tells is not what was written.
void require_unharmed(const JournalContent& content, const fs::path& directory) {
  for_each_written(content, [&](const auto& line, const std::string& path, const auto& blocks) {
    const auto found = found_below(directory, path);
    if (!is_present(found)) return;
    const FileBytes file(found.string(), O_RDONLY);
    for (const auto& block : blocks) {
      if (!holds(file, block))
        refuse_harmed(found, block, fmt::format(", at {} s,", line.time.seconds()));
    }
  });
}

/// What the names of a file, its parts and its index begin with.
std::string stem_of(std::string_view name) { return std::string(name.substr(0, name.rfind('Z'))); }

std::string stem_of(const Definition& definition, int stream, int file) {
  return stem_of(fs::path(file_path(definition, stream, file)).filename().native());
}

/// Throws if a complete file that goes on is not what the list of checksums says: journals of files
/// by MPI-IO have none, and no journal has those of headers.
void require_listed(const Definition& definition, std::span<const KeptFile> all) {
  if (!collects_checksums()) return;
  std::set<std::string> going_on;
  for (const auto& kept : all)
    if (holds_values(kept.content)) going_on.insert(stem_of(definition, kept.stream, kept.file));
  for_each_listed(checksums_directory(), [&](std::string_view name, const auto& blocks) {
    if (!going_on.contains(stem_of(name.substr(0, name.find('/'))))) return;
    const auto path = fs::path(definition.settings.directory) / name;
    if (!is_present(path.string())) return;  // it has been taken back, or is looked for elsewhere
    const FileBytes file(path.string(), O_RDONLY);
    try {
      for (const auto& block : blocks())
        if (!holds(file, block)) refuse_harmed(path, block, "");
    } catch (const Error& error) {
      throw Error(Blame::user, fmt::format("{}; if '{}' is not this run's, remove that",
                                           error.what(), list_path(checksums_directory())));
    }
  });
}

}  // namespace

FileDescription describe_kept(const Definition& definition, const LaneDivision& lane, int stream,
                              int file, int writer, const JournalContent& kept) {
  auto description = describe_file(definition, lane, stream, file, writer);
  if (!kept.history.empty()) description.history = kept.history;
  description.steps.clear();
  description.times_s.clear();
  const auto add = [&](int step, ModelTime time) {
    description.steps.push_back(step);
    description.times_s.push_back(time.seconds());
  };
  const auto name = fs::path(description.path).filename().string();
  for (const auto& line : kept.lines) {
    if (line.dropped) continue;
    const auto mine = line.files().value(name, JournalJson::object());
    description.kept.push_back({line.step, line.time.seconds(), mine.value("place", "")});
    add(line.step, line.time);
  }
  // How many times a file is to get may have changed, and with it what `auto` means.
  if (!description.kept.empty()) description.bounds = kept.bounds;
  const auto& times = definition.streams[stream].schedule.files()[file];
  for (std::size_t i = 0; i < times.steps.size(); ++i) {
    if (!definition.continues_after || times.times[i] > *definition.continues_after)
      add(times.steps[i], times.times[i]);
  }
  return description;
}

namespace {

/// Complete by what the files behind it tell, and neither it nor its journal is there.
bool was_moved_away(const Definition& definition, const LaneDivision& lane, int stream, int file) {
  const auto& times = definition.streams[stream].schedule.files()[file];
  const auto after = *definition.continues_after;
  if (times.times.back() > after || times.times.front() <= definition.begun.after) return false;
  const auto paths = complete_paths(definition, lane, stream, file);
  return std::none_of(paths.begin(), paths.end(), is_there) &&
         !is_present(journal_of(definition, stream, file)) &&
         !is_passed_over(definition, stream, times);
}

/// Who removed them by mistake would never hear of it.
void tell_of_moved(const std::vector<std::string>& moved) {
  if (moved.empty()) return;
  warn_once(fmt::format(
      "'{}'{} complete, and neither there nor {} journal: counted as moved away", moved.front(),
      moved.size() == 1 ? std::string(" was")
                        : fmt::format(" and {} other files were", moved.size() - 1),
      moved.size() == 1 ? "its" : "their"));
}

/// Every file that holds kept times, or may.
std::vector<KeptFile> kept_files(const Definition& definition,
                                 std::span<const LaneDivision> lanes) {
  std::vector<KeptFile> all;
  std::vector<std::string> moved;
  for (int lane = 0; lane < static_cast<int>(lanes.size()); ++lane) {
    const int stream = definition.stream_of(lane);
    const auto& chosen = definition.streams[stream];
    const auto& files = chosen.schedule.files();
    for (int file = 0; file < static_cast<int>(files.size()); ++file) {
      if (chosen.first_lane + files[file].partition != lane) continue;
      if (files[file].times.front() > *definition.continues_after) continue;
      const auto settings = file_settings(definition, lanes[lane], stream, file);
      const auto kept = kept_of(definition, lanes[lane], stream, file, settings);
      if (kept) all.push_back({lane, stream, file, *kept});
      if (!kept && was_moved_away(definition, lanes[lane], stream, file))
        moved.push_back(file_path(definition, stream, file));
    }
  }
  tell_of_moved(moved);
  return all;
}

/// Throws if the stream ends within a file now that holds times after the checkpoint: it is not one
/// of this run's files, so nobody would cut it.
void require_no_later_times(const Definition& definition) {
  const auto longest = with_longest_schedules(definition);
  for (std::size_t stream = 0; stream < longest.streams.size(); ++stream) {
    const auto& files = longest.streams[stream].schedule.files();
    const auto now = definition.streams[stream].schedule.files().size();
    for (auto file = now; file < files.size(); ++file) {
      const auto after = *definition.continues_after;
      if (files[file].times.front() > after || files[file].times.back() <= after) continue;
      const auto journal = journal_of(longest, static_cast<int>(stream), static_cast<int>(file));
      const auto content = own_journal(definition, journal);
      if (!content || content->lines.empty() || content->lines.back().time <= after) continue;
      throw Error(
          Blame::user,
          fmt::format("'{}' holds times after {} s, where the run continues, and the stream '{}' "
                      "ends before the file begins now; let it end at {} s or later",
                      file_path(longest, static_cast<int>(stream), static_cast<int>(file)),
                      after.seconds(), longest.streams[stream].settings.name, after.seconds()));
    }
  }
}

}  // namespace

std::vector<KeptFile> require_kept(const Definition& definition,
                                   std::span<const LaneDivision> lanes) {
  for (int stream = 0; stream < static_cast<int>(definition.streams.size()); ++stream) {
    const auto why = why_not_followed(definition, stream, *definition.continues_after);
    if (why.empty()) continue;
    throw Error(Blame::user,
                fmt::format("{}; continue from a checkpoint before that time, or begin anew", why));
  }
  require_no_later_times(definition);
  auto all = kept_files(definition, lanes);
  require_listed(definition, all);
  for (const auto& [lane, stream, file, kept] : all) {
    if (!holds_values(kept)) continue;  // there is no file, or it is taken back
    const auto& container =
        find_container(definition.streams[stream].settings.container, definition.settings.way);
    const auto& team = lanes[lane].team;
    for (const int writer : team) {
      const auto description = describe_kept(definition, lanes[lane], stream, file, writer, kept);
      require_file(description.path);
      const bool is_made = lanes[lane].own_files || writer == team.front();
      if (is_made && container.check_kept != nullptr) container.check_kept(description);
    }
    if (const auto before = written_before(definition, stream, file))
      require_unharmed(*before, definition.settings.directory);
  }
  return all;
}

void keep_checksums(const Definition& definition, std::span<const KeptFile> all) {
  if (!collects_checksums()) return;
  std::set<std::string> changing;
  for (const auto& kept : all) changing.insert(stem_of(definition, kept.stream, kept.file));
  const auto longest = with_longest_schedules(definition);
  for (int stream = 0; stream < static_cast<int>(longest.streams.size()); ++stream) {
    const auto& files = longest.streams[stream].schedule.files();
    for (int file = 0; file < static_cast<int>(files.size()); ++file)
      if (!definition.continues_after || files[file].times.back() > definition.continues_after)
        changing.insert(stem_of(longest, stream, file));
  }
  set_list_aside(checksums_directory(), [&](std::string_view name) {
    const auto file = name.substr(0, name.find('/'));  // of what lies in a store
    return file.find('Z') == file.npos || changing.contains(stem_of(file));
  });
}

void rewind_journals(const Definition& definition, std::span<const KeptFile> all) {
  for (const auto& [lane, stream, file, kept] : all) {
    const auto path = journal_of(definition, stream, file);
    auto before = own_journal(definition, path);
    if (!before) continue;
    before->lines.resize(kept.lines.size());
    before->run = definition.begun.run;
    before->more = true;
    before->until = before->lines.empty() ? -1 : before->lines.back().step;
    const auto& [partition, steps, times] = definition.streams[stream].schedule.files()[file];
    for (std::size_t i = 0; i < steps.size() && times[i] <= definition.continues_after; ++i)
      before->until = std::max(*before->until, steps[i]);
    Journal(path, *before);
  }
}

}  // namespace thalweg
