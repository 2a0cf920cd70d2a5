// SPDX-License-Identifier: Apache-2.0
// A stream's journals by name and size: whoever writes its files or goes on with them changes one.
#include "output/files/looked_at.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "output/deal/describe_file.hpp"
#include "output/files/own_journals.hpp"
#include "output/files/stream_locks.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

namespace {

namespace fs = std::filesystem;

using Journals = std::set<std::string>;  // names and sizes

bool is_of(const std::string& stream, const std::string& file) {  // STREAM_DATE...
  const auto date = stream.size() + 1;
  return file.size() > date && file.starts_with(stream + "_") &&
         std::isdigit(static_cast<unsigned char>(file[date])) != 0;
}

Journals journals_in(const std::string& directory, const std::string& stream) {
  Journals found;
  std::error_code ignored;  // of one that is not there, or goes meanwhile
  for (const auto& entry : fs::directory_iterator(directory, ignored)) {
    const auto name = entry.path().filename().string();
    if (!is_of(stream, name)) continue;
    std::error_code unknown;
    const auto bytes = fs::file_size(entry.path(), unknown);
    found.insert(fmt::format("{} {}", name, unknown ? 0 : bytes));
  }
  return found;
}

/// [directory and name of a lock]
std::map<std::pair<std::string, std::string>, Journals>& seen() {
  static std::map<std::pair<std::string, std::string>, Journals> all;
  return all;
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

void look_alone(const OutputSettings& settings, std::span<const StreamSettings> streams,
                const std::function<void()>& look) {
  const auto definition = definition_of(settings, streams);
  const auto directory = journal_directory(definition);
  const auto names = names_of_locks(definition);
  std::error_code ignored;
  std::optional<StreamLocks> locks;  // nobody has written where there are no journals
  if (!names.empty() && fs::is_directory(directory, ignored)) locks.emplace(directory, names);
  look();
  for (const auto& name : names) seen()[{directory, name}] = journals_in(directory, name);
}

void require_as_seen(const Definition& definition) {
  const auto directory = journal_directory(definition);
  std::string changed;
  for (const auto& name : names_of_locks(definition)) {
    const auto before = seen().find({directory, name});
    if (before == seen().end()) continue;
    if (changed.empty() && before->second != journals_in(directory, name)) changed = name;
    seen().erase(before);
  }
  if (changed.empty()) return;
  throw Error(Blame::user,
              fmt::format("files of stream '{}' in '{}' were written by another program after this "
                          "one had looked where to begin; nothing was changed: start it again, and "
                          "it begins where that one came to",
                          changed, definition.settings.directory));
}

}  // namespace thalweg
