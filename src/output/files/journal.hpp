// SPDX-License-Identifier: Apache-2.0
// The journal of a file: one line for each time that is whole in it, so that a killed run loses
// nothing that was written. Layout: docs/run-directory.md, decision 0011.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "file/checksum_log.hpp"
#include "thalweg/model_time.hpp"

namespace thalweg {

using JournalJson = nlohmann::ordered_json;

/// A line: a time that all writers have written, or that was dropped.
struct JournalLine {
  int step = 0;
  ModelTime time;
  bool dropped = false;
  JournalJson files = JournalJson::object();  ///< what writers reported, by name of their file
};

/// The same of a file that goes on. What writers reported stays text until somebody asks: as a tree
/// it takes thirty times as much memory, and a file may have thousands of lines.
struct KeptLine {
  KeptLine() = default;
  KeptLine(const JournalLine& line);  // NOLINT: it is one
  JournalJson files() const { return JournalJson::parse(text); }

  int step = 0;
  ModelTime time;
  bool dropped = false;
  std::string text = "{}";  ///< JournalLine::files
};

struct JournalContent {
  std::string history;          ///< of the file, as it was begun
  std::string settings;         ///< of the file: who goes on with it must have the same
  std::vector<KeptLine> lines;  ///< steps ascending
  bool closed = false;          ///< no line follows
  bool unmoved = false;         ///< closed, and all blocks above lie where they were written
  bool changing = false;        ///< ends with that: the file may be broken
  bool bounds = false;          ///< does it have corners? FileDescription::bounds
  bool alone = true;            ///< several writers change parts of their own (change_alone)
  bool more = false;            ///< rewound: the file may still hold times after these
  std::string run{};            ///< that wrote it, BegunRun::run
  std::optional<int> until{};   ///< closed: as in Journal::close()
};

/// Where the journal of an output file lies.
std::string journal_path(const std::string& directory, const std::string& file_path);
/// Nothing if there is none. A last line that a kill cut short is left out; throws Error(user) if
/// another one is damaged or does not follow the one before it, or if it is that of another file.
std::optional<JournalContent> read_journal(const std::string& path);

/// How far a journal has come, by its last whole line.
struct JournalEnd {
  int step = -1;  ///< no time yet
  bool closed = false, changing = false;
  bool all_passed = false;  ///< closed, and no time of the file is to come
  std::string run;          ///< that wrote it
};
/// Reads no more than the journal's beginning and its last lines. Nothing if there is none; throws
/// Error(user) as read_journal() does, for what it has read.
std::optional<JournalEnd> read_journal_end(const std::string& path);

/// The content as one text, to tell it to other ranks.
std::string to_text(const JournalContent& content);
JournalContent content_of(const std::string& text);

/// Has any of the times values in the file?
bool holds_values(const JournalContent& content);

/// Keeps the times only: their checksums are taken anew.
void forget_blocks(JournalContent& content);

JournalJson blocks_to_json(std::span<const WrittenBlock> blocks);
std::vector<WrittenBlock> blocks_from_json(const JournalJson& json);

/// The journal while the head of a team adds to it.
class Journal {
 public:
  /// Replaces what was there, at once; closed if the content is.
  Journal(std::string path, const JournalContent& content);
  void add(const JournalLine& line);
  /// Says that no line follows. `unmoved`: completing the file has moved no values. `until`: the
  /// run ended with this step, before others that the file was to get; nothing: all have passed.
  void close(bool unmoved, std::optional<int> until);
  /// Says that a kill from here to the next line may break what was whole in the file.
  void change();

 private:
  void append(const JournalJson& line);
  std::string path_;
  std::uint32_t sum_ = 0;  // of the last line: the next one is summed from there
};

}  // namespace thalweg
