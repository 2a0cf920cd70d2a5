// SPDX-License-Identifier: Apache-2.0
// Files by the names that writers give them; parts have numbers without gaps.
#include "output/files/take_back.hpp"

#include <filesystem>
#include <set>
#include <string_view>

#include "file/entries.hpp"
#include "output/deal/describe_file.hpp"
#include "output/files/begun.hpp"
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

  /// Under this name, or aside, and what is written beside it. False if there was nothing.
  bool remove(const std::string& path, const char* beside) {
    bool some = remove_entry(path);
    for (const char* aside : {".part", ".old", ".fitted.part"})
      some = remove_entry(path + aside) || some;
    const auto test = path + ".part.locktest.";  // Open MPI's, where it was killed in opening
    for (auto next = there_.lower_bound(test); next != there_.end() && next->starts_with(test);)
      remove_entry(std::string(*next++));
    if (beside == nullptr) return some;
    const bool second = remove(path + beside, nullptr);
    return some || second;
  }

 private:
  bool remove_entry(const std::string& path) {
    if (there_.erase(path) == 0) return false;
    remove_output(path);
    return true;
  }

  std::set<std::string> there_;
};

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
    const auto& chosen = definition.streams[stream];
    const auto& all = chosen.schedule.files();
    const auto* beside = find_container(chosen.settings.container, definition.settings.way).beside;
    // The last first: what is there behind a gap would say that the run had got so far.
    for (int file = static_cast<int>(all.size()) - 1; file >= 0; --file) {
      // Of a run that begins in files of its own nothing before is its journal.
      const bool stays = all[file].times.front() <= definition.continues_after;
      if (stays && definition.same_files) continue;
      journals.remove(journal_of(definition, stream, file), nullptr);
      if (!definition.same_files) continue;
      files.remove(file_path(definition, stream, file), beside);
      for (int part = 0; files.remove(part_path(definition, stream, file, part), beside); ++part) {
      }
    }
  }
}

}  // namespace thalweg
