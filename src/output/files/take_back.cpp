// SPDX-License-Identifier: Apache-2.0
// Files by the names that writers give them; parts have numbers without gaps.
#include "output/files/take_back.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "file/entries.hpp"
#include "output/deal/describe_file.hpp"
#include "output/files/begun.hpp"
#include "output/files/coverage.hpp"
#include "output/files/kept_files.hpp"

namespace thalweg {

namespace {

namespace fs = std::filesystem;

std::set<std::string> entries_of(const fs::path& directory) {
  std::set<std::string> paths;
  for (const auto& name : names_in(directory)) paths.insert((directory / name).string());
  return paths;
}

/// One listing for many files, most of which are not there.
class Remover {
 public:
  explicit Remover(const fs::path& directory) : there_(entries_of(directory)) {}

  /// Under this name, or aside, and what is written beside it.
  void remove(const std::string& path, const char* beside = nullptr) {
    remove_strays(path);
    for (const char* aside : {"", ".part", ".old"}) remove_entry(path + aside);
    if (beside != nullptr) remove(path + beside);
  }

  /// An output file and all parts of it.
  void remove_file(const Definition& definition, int stream, int file) {
    const auto& container = definition.streams[stream].settings.container;
    const auto* beside = find_container(container, definition.settings.way).beside;
    for (const auto& path : paths_of(definition, stream, file)) remove(path, beside);
  }

  /// What of it has not its final name.
  void remove_aside(const Definition& definition, int stream, int file) {
    for (const auto& path : paths_of(definition, stream, file)) remove_entry(path + ".part");
  }

  /// What a kill left beside a file that goes on, and its parts: nobody has an eye on it any more.
  void remove_strays(const Definition& definition, int stream, int file) {
    for (const auto& path : paths_of(definition, stream, file)) remove_strays(path);
  }

 private:
  /// The file, there or not, and the parts that are there: of other numbers of writers, too.
  std::vector<std::string> paths_of(const Definition& definition, int stream, int file) const {
    std::vector<std::string> paths{file_path(definition, stream, file)};
    const auto suffix = fs::path(paths[0]).extension().string();
    const auto stem = paths[0].substr(0, paths[0].size() - suffix.size()) + ".";
    std::set<int> parts;
    for (auto next = there_.lower_bound(stem); next != there_.end() && next->starts_with(stem);
         ++next) {
      const auto end = std::min(next->find_first_not_of("0123456789", stem.size()), next->size());
      const auto digits = next->substr(stem.size(), end - stem.size());
      if (digits.size() < 3 || digits.size() > 9) continue;
      const int part = std::stoi(digits);
      if (next->starts_with(part_path(definition, stream, file, part))) parts.insert(part);
    }
    for (const int part : parts) paths.push_back(part_path(definition, stream, file, part));
    return paths;
  }

  /// Open MPI's, where it was killed in opening or left a lock; and a copy that was being made.
  void remove_strays(const std::string& path) {
    for (const char* mark : {".fitted.part", ".part.locktest.", ".part-"}) {
      const auto begin = path + mark;
      for (auto next = there_.lower_bound(begin); next != there_.end() && next->starts_with(begin);)
        remove_entry(std::string(*next++));
    }
  }

  void remove_entry(const std::string& path) {
    if (there_.erase(path) > 0) remove_output(path);
  }

  std::set<std::string> there_;
};

int files_now(const Definition& definition, int stream) {
  return static_cast<int>(definition.streams[stream].schedule.files().size());
}

/// Of a file that the stream has no more: was it killed before it had a journal?
bool was_only_made(const Definition& definition, int stream, int file) {
  return !is_present(journal_of(definition, stream, file)) &&
         is_passed_over(definition, stream, definition.streams[stream].schedule.files()[file]);
}

}  // namespace

void remove_output(const std::string& path) {
  constexpr std::string_view old = ".old", part = ".part";
  std::string bare = path;
  for (const auto suffix : {old, part})
    if (bare.ends_with(suffix)) bare.resize(bare.size() - suffix.size());
  remove_whole(path, bare + std::string(old));
}

void take_back_files(const Definition& now) {
  const auto definition = with_longest_schedules(now);
  Remover journals(journal_directory(definition));
  Remover files(definition.settings.directory);
  for (int stream = 0; stream < static_cast<int>(definition.streams.size()); ++stream) {
    const auto& all = definition.streams[stream].schedule.files();
    // The last first: what is there behind a gap would say that the run had got so far.
    for (int file = static_cast<int>(all.size()) - 1; file >= 0; --file) {
      // Of a run that begins in files of its own nothing before is its journal.
      const bool stays = all[file].times.front() <= definition.continues_after;
      if (stays && definition.same_files) {
        files.remove_strays(definition, stream, file);
        if (file >= files_now(now, stream) && was_only_made(definition, stream, file))
          files.remove_aside(definition, stream, file);
        continue;
      }
      journals.remove(journal_of(definition, stream, file));
      if (definition.same_files) files.remove_file(definition, stream, file);
    }
  }
}

void take_back_empty_files(const Definition& definition, std::span<const KeptFile> kept) {
  Remover files(definition.settings.directory);
  for (const auto& each : kept)
    if (!holds_values(each.content)) files.remove_file(definition, each.stream, each.file);
}

}  // namespace thalweg
