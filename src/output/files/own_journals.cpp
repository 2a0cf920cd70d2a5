// SPDX-License-Identifier: Apache-2.0
// Journals by the names of their files; those of other runs are not seen.
#include "output/files/own_journals.hpp"

#include "format/container.hpp"
#include "output/deal/describe_file.hpp"

namespace thalweg {

namespace {

/// Its journals tell nothing of our files, though they have the same names.
bool is_of_another_run(const Definition& definition, const std::string& run) {
  return !run.empty() && !definition.begun.run.empty() && run != definition.begun.run;
}

}  // namespace

std::optional<JournalContent> own_journal(const Definition& definition, const std::string& path) {
  auto content = read_journal(path);
  return content && is_of_another_run(definition, content->run) ? std::nullopt : content;
}

std::optional<JournalEnd> own_journal_end(const Definition& definition, const std::string& path) {
  auto end = read_journal_end(path);
  return end && is_of_another_run(definition, end->run) ? std::nullopt : end;
}

std::string journal_directory(const Definition& definition) {
  const auto& settings = definition.settings;
  return settings.journals.empty() ? settings.directory + "/journal" : settings.journals;
}

std::string journal_of(const Definition& definition, int stream, int file) {
  return journal_path(journal_directory(definition), file_path(definition, stream, file));
}

bool is_fragile(const Definition& definition, int stream) {
  const auto& chosen = definition.streams[stream];
  const auto& container = find_container(chosen.settings.container, definition.settings.way);
  FileDescription known;
  known.compression = chosen.settings.compression;
  known.chunked = chosen.words.layout == Layout::chunked;
  return container.fragile != nullptr && container.fragile(known);
}

bool change_alone(const LaneDivision& lane) { return lane.own_files && lane.team.size() > 1; }

bool is_broken_off(const Definition& definition, int stream, const JournalContent& content) {
  return content.alone && !content.closed && is_fragile(definition, stream);
}

}  // namespace thalweg
