// SPDX-License-Identifier: Apache-2.0
// Where a run begins: rank 0 looks at what the run before left, all ranks check the sets.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "base/crc32.hpp"
#include "file/entries.hpp"
#include "file/file_bytes.hpp"
#include "output/files/looked_at.hpp"
#include "ranks/agreement.hpp"
#include "restart/set_directory.hpp"
#include "thalweg/error.hpp"
#include "thalweg/restart.hpp"

namespace thalweg {

namespace {

namespace fs = std::filesystem;

/// What rank 0 knows before it looks at the sets.
struct Before {
  bool same_files = false;
  BegunRun begun;
};

/// Of another run: a name that is mistaken must not look like a run without checkpoints.
void require_directory_of_sets(const std::string& directory) {
  if (!is_a_directory(directory)) {
    throw Error(Blame::user,
                fmt::format("there is no directory '{}' to read checkpoints from; give "
                            "the restart/ of a run",
                            directory));
  }
  const auto below = directory + "/restart";
  if (!list_sets(directory).empty() || !is_a_directory(below)) return;
  throw Error(
      Blame::user,
      fmt::format("'{}' holds no checkpoints itself; those of its run lie in '{}': give that",
                  directory, below));
}

/// With the sets and files of the run before?
bool goes_on_in(const std::string& directory, const std::string& own) {
  return whole_path(directory) == whole_path(own);
}

Before look(const std::string& directory, const std::string& own, const OutputSettings& settings,
            std::span<const StreamSettings> streams) {
  Before before;
  before.same_files = goes_on_in(directory, own);
  if (!before.same_files) {
    require_directory_of_sets(directory);
    return before;
  }
  const bool has_sets = !list_sets(directory).empty();
  const auto begun = find_begun_run(settings, streams, has_sets);
  if (begun) before.begun = *begun;
  if (begun || streams.empty() || !has_sets) return before;
  throw Error(Blame::user,
              fmt::format("'{}' holds checkpoints, but of none of this run's streams it is known "
                          "what their files in '{}' hold (journal/begun.json): continue with the "
                          "streams of the run before, put its journals back, or write into another "
                          "directory, where files of their own begin; an output that is new there "
                          "reads no state, others do",
                          directory, settings.directory));
}

/// By name, with the checksum of the manifest: who goes on from a set may write later ones again.
std::set<std::string> sets_there(const std::string& directory) {
  std::set<std::string> sets;
  for (const auto& date : list_sets(directory)) {
    std::string manifest;
    const auto path = fmt::format("{}/{}/{}", directory, date, manifest_name);
    attempt(0, [&] { manifest = text_of(path).value_or(""); });  // damage is told where it counts
    sets.insert(fmt::format("{} {:08x}", date, crc32(0, std::as_bytes(std::span(manifest)))));
  }
  return sets;
}

std::set<std::string> lines_of(const std::string& text) {
  std::set<std::string> lines;
  std::istringstream rest(text);
  for (std::string line; std::getline(rest, line);) lines.insert(line);
  return lines;
}

std::string to_text(const Before& before) {
  return fmt::format("{} {} {} {}", before.same_files ? 1 : 0,
                     before.begun.after ? before.begun.after->ms() : -1,
                     before.begun.run.empty() ? "-" : before.begun.run, before.begun.from);
}

Before before_of(const std::string& text) {
  const auto first = text.find(' '), second = text.find(' ', first + 1);
  const auto after_ms = std::stoll(text.substr(first + 1, second - first - 1));
  const auto third = text.find(' ', second + 1);
  Before before{text.front() == '1', {}};
  before.begun.run = text.substr(second + 1, third - second - 1);
  if (before.begun.run == "-") before.begun.run.clear();
  before.begun.from = text.substr(third + 1);
  if (after_ms >= 0) before.begun.after = ModelTime::of_ms(after_ms);
  return before;
}

}  // namespace

Beginning find_beginning(MPI_Comm comm, const std::string& directory, const std::string& own,
                         const OutputSettings& settings, std::span<const StreamSettings> streams,
                         std::span<const OutputBeside> beside) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  std::vector<StreamSettings> all(streams.begin(), streams.end());
  for (const auto& other : beside)
    all.insert(all.end(), other.streams.begin(), other.streams.end());
  std::string text;
  std::set<std::string> sets;
  throw_together(comm, attempt(rank, [&] {
                   if (rank != 0) return;
                   const auto seen = [&] {
                     sets = sets_there(own);
                     text = to_text(look(directory, own, settings, all));
                   };
                   if (!goes_on_in(directory, own)) return seen();
                   std::vector<Definition> others;
                   for (const auto& other : beside)
                     others.push_back(definition_of(other.settings, other.streams));
                   look_alone(definition_of(settings, streams), others, seen);
                 }));
  const auto before = before_of(broadcast_text(comm, 0, text));
  const auto unfit = [&](ModelTime time, const std::string& run) -> std::string {
    if (!run.empty() && !before.begun.run.empty() && run != before.begun.run)
      return "it is of an earlier run, and another one has begun in its place";
    auto why = missing_output(settings, streams, time);
    for (const auto& other : beside) {  // each by its own mode and way
      if (why.empty()) why = missing_output(other.settings, other.streams, time);
    }
    return why;
  };
  Beginning beginning{
      before.same_files ? find_restart(comm, directory, unfit) : find_restart(comm, directory),
      before.same_files,
      lines_of(broadcast_text(comm, 0, fmt::format("{}", fmt::join(sets, "\n"))))};
  auto& set = beginning.set;
  if (!set.path.empty()) return beginning;
  if (!set.damaged.empty()) {
    auto reasons = set.damaged;
    reasons.insert(reasons.end(), set.unfit.begin(), set.unfit.end());
    throw Error(
        Blame::user,
        fmt::format("'{}' holds no whole checkpoint to continue from ({}); put one back, or "
                    "remove them all to begin at the start",
                    directory, fmt::join(reasons, "; ")));
  }
  const auto& begun = before.begun;
  if (!begun.after) return beginning;
  if (begun.from.empty()) {
    throw Error(Blame::user,
                fmt::format("the run in '{}' began at {} s from a checkpoint that it did not name, "
                            "and has none of its own to continue from; begin anew in another "
                            "directory",
                            settings.directory, begun.after->seconds()));
  }
  auto first = find_restart(comm, fs::path(begun.from).parent_path(),
                            [&](ModelTime time, const std::string&) {
                              return time == *begun.after ? "" : "it is of another time";
                            });
  if (first.path.empty()) {
    throw Error(Blame::user,
                fmt::format("the run in '{}' began at {} s from '{}', which is not whole there any "
                            "more, and has no checkpoint of its own to continue from; put it back, "
                            "or begin anew in another directory",
                            settings.directory, begun.after->seconds(), begun.from));
  }
  first.damaged.clear();
  first.unfit = set.unfit;
  set = std::move(first);
  return beginning;
}

void remove_later_sets(const std::string& own, const Beginning& beginning) {
  if (!beginning.same_files) return;
  const auto& path = beginning.set.path;
  if (!path.empty() && !is_a_directory(path)) {  // the later sets are all that is left
    throw Error(
        Blame::user,
        fmt::format("the checkpoint '{}', from which this program was to go on, was removed "
                    "by another one meanwhile; start it again, and it begins from those "
                    "that are there now",
                    path));
  }
  // Some may be gone: another output of this program has looked, too.
  if (!std::ranges::includes(beginning.sets, sets_there(own))) {
    throw Error(Blame::user,
                fmt::format("checkpoints in '{}' were written by another program after this one "
                            "had looked where to begin; start it again, and it begins where that "
                            "one came to",
                            own));
  }
  remove_sets_after(own, path.empty() ? "" : fs::path(path).filename().string());
}

}  // namespace thalweg
