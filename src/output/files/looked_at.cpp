// SPDX-License-Identifier: Apache-2.0
// A stream's journals by name, size and end, whose checksum is one of the whole: whoever writes its
// files, goes on with them or begins them anew changes one.
#include "output/files/looked_at.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/crc32.hpp"
#include "file/entries.hpp"
#include "file/file_bytes.hpp"
#include "output/deal/describe_file.hpp"
#include "output/files/own_journals.hpp"
#include "output/files/stream_locks.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

namespace {

namespace fs = std::filesystem;

/// Is this file's name STREAM_yyyymmddThhmmss[.mmm]Z.SUFFIX? Another stream's name may begin so.
bool is_of(std::string_view stream, std::string_view file) {
  if (!file.starts_with(stream)) return false;
  constexpr std::string_view date = "_00000000T000000";
  auto rest = file.substr(stream.size());
  const auto fits = [](char shape, char letter) {
    return shape == '0' ? std::isdigit(static_cast<unsigned char>(letter)) != 0 : letter == shape;
  };
  if (rest.size() < date.size() || !std::equal(date.begin(), date.end(), rest.begin(), fits))
    return false;
  rest.remove_prefix(date.size());
  if (rest.starts_with(".")) rest.remove_prefix(std::min<std::size_t>(4, rest.size()));
  return rest.starts_with("Z.");
}

/// Opened to be looked at: what the system remembers of a name may be old (NFS).
std::string size_and_end(const std::string& path) {
  constexpr std::int64_t most = 4096;
  try {
    const FileBytes file(path, O_RDONLY);
    const auto bytes = file.size();
    std::vector<std::byte> end(std::min(bytes, most));
    file.read(end, bytes - static_cast<std::int64_t>(end.size()));
    return fmt::format("{} {:08x}", bytes, crc32(0, end));
  } catch (const Error&) {  // it is another one next time
    return "";
  }
}

std::set<std::string> journals_in(const std::string& directory, const std::string& stream) {
  std::set<std::string> found;
  std::error_code ignored;  // of one that is not there, or goes meanwhile
  fs::directory_iterator entry(directory, ignored);
  for (; !ignored && entry != fs::directory_iterator(); entry.increment(ignored)) {
    const auto name = entry->path().filename().string();
    if (is_of(stream, name))
      found.insert(fmt::format("{} {}", name, size_and_end(entry->path().string())));
  }
  return found;
}

struct Seen {
  std::string directory, name;  ///< whole, of a lock
  std::set<std::string> journals;
  int look;  ///< what was seen in one look begins together
};
std::vector<Seen>& all_seen() {
  static std::vector<Seen> all;
  return all;
}

/// [directory and name of a lock] of outputs that this process has begun and not ended: they
/// change by themselves.
std::set<std::pair<std::string, std::string>>& begun_here() {
  static std::set<std::pair<std::string, std::string>> all;
  return all;
}

bool is_in(const Seen& seen, const std::string& directory, const std::vector<std::string>& names) {
  return seen.directory == directory && std::ranges::find(names, seen.name) != names.end();
}

void forget(const std::string& directory, const std::vector<std::string>& names) {
  std::erase_if(all_seen(), [&](const Seen& seen) { return is_in(seen, directory, names); });
}

/// Of an output beside the one that looks: what it saw itself, earlier, counts.
void remember(const Definition& definition, int look, bool beside) {
  const auto directory = whole_path(journal_directory(definition));
  const auto names = names_of_locks(definition);
  if (!beside) forget(directory, names);
  for (const auto& name : names) {
    const bool known = std::ranges::any_of(
        all_seen(), [&](const Seen& seen) { return is_in(seen, directory, {name}); });
    if (beside && (known || begun_here().contains({directory, name}))) continue;
    all_seen().push_back({directory, name, journals_in(directory, name), look});
  }
}

}  // namespace

std::vector<std::string> names_of_locks(const Definition& definition) {
  std::vector<std::string> names;
  for (const auto& stream : definition.streams) {
    if (stream.settings.partitions > 1) names.push_back(stream.settings.name);
    for (const auto& name : names_of_partitions(stream.settings)) names.push_back(name);
  }
  return names;
}

void look_alone(const Definition& output, std::span<const Definition> beside,
                const std::function<void()>& look) {
  static int looks = 0;
  const auto directory = journal_directory(output);
  const auto names = names_of_locks(output);
  std::error_code ignored;
  std::optional<StreamLocks> locks;  // nobody has written where there are no journals
  if (!names.empty() && fs::is_directory(directory, ignored)) locks.emplace(directory, names);
  ++looks;
  for (const auto& other : beside) remember(other, looks, true);
  remember(output, looks, false);
  look();
}

void note_begun(const Definition& definition) {
  const auto directory = whole_path(journal_directory(definition));
  const auto names = names_of_locks(definition);
  forget(directory, names);
  for (const auto& name : names) begun_here().insert({directory, name});
}

void note_ended(const Definition& definition) {
  const auto directory = whole_path(journal_directory(definition));
  for (const auto& name : names_of_locks(definition)) begun_here().erase({directory, name});
}

void require_as_seen(const Definition& definition) {
  const auto directory = whole_path(journal_directory(definition));
  const auto names = names_of_locks(definition);
  std::set<int> looks;
  for (const auto& seen : all_seen()) {
    if (is_in(seen, directory, names)) looks.insert(seen.look);
  }
  const auto changed = std::ranges::find_if(all_seen(), [&](const Seen& seen) {
    return definition.same_files && looks.contains(seen.look) &&
           seen.journals != journals_in(seen.directory, seen.name);
  });
  const auto name = changed == all_seen().end() ? "" : changed->name;
  note_begun(definition);
  if (name.empty()) return;
  throw Error(Blame::user,
              fmt::format("files of stream '{}' in '{}' were written by another program after this "
                          "one had looked where to begin; start it again, and it begins where that "
                          "one came to",
                          name, definition.settings.directory));
}

}  // namespace thalweg
