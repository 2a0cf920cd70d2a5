// SPDX-License-Identifier: Apache-2.0
// What the writers of a team tell its head about each time they have written; the head keeps the
// journals. Nobody waits, until a file is to be closed.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "output/deal/mode.hpp"
#include "output/files/journal.hpp"
#include "ranks/outbox.hpp"
#include "ranks/ranks.hpp"

namespace thalweg {

using FileKey = std::pair<int, int>;  ///< stream, file

class Reports {
 public:
  /// The first of a lane's team hears the reports of the others.
  Reports(const Ranks& ranks, std::span<const LaneDivision> lanes);

  /// Head, before its first report: `team` writers report each time of this file. `last_step`: that
  /// the journal has, or -1.
  void begin(FileKey file, Journal journal, int last_step, int team);
  /// This writer's part of a time is in the file. Dropped times are the head's to tell.
  void tell(FileKey file, int head, const JournalLine& line);
  /// A message with tag_written; it is taken whatever is thrown. Throws Error(file_system) where
  /// what it told cannot be kept: the journal ends there.
  void hear(const MPI_Status& status);
  /// Head, when all of the team have told: waits until it has heard.
  void hear_all(FileKey file);
  /// Head, when all of the team have told: its file is about to be changed where it was whole.
  void change(FileKey file);
  /// Instead of the file's journal, if that has begun.
  void replace(FileKey file, Journal journal);
  /// Head: the file is complete, or given up. `unmoved`: as in Journal::close(). `early`: before
  /// all times that it was to get had passed.
  void end(FileKey file, bool complete, bool unmoved, bool early);
  /// Every writer, at its end: until all that was told is heard.
  void leave();

 private:
  struct Waiting {
    int told = 0;  // writers that have
    JournalLine line;
  };
  struct Open {
    std::optional<Journal> journal;  // nothing: a member was faster than this head
    int team = 1, last_step = -1;
    std::map<int, Waiting> waiting;  // [step]
  };
  void take(FileKey file, const JournalLine& line);
  static void write_whole(Open& open);
  void hear_what_is_there();

  Ranks ranks_;
  Outbox outbox_;
  std::set<int> heads_, members_;  // writers this one reports to; that report to it
  std::map<FileKey, Open> open_;
  int left_ = 0;  // members that have told their last
};

}  // namespace thalweg
