// SPDX-License-Identifier: Apache-2.0
// The files of one writer: which one a step belongs to, when each is made, continued and completed.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "output/deal/mode.hpp"
#include "output/files/journal.hpp"
#include "output/files/reports.hpp"
#include "output/files/team_file.hpp"
#include "ranks/first_failure.hpp"
#include "ranks/ranks.hpp"

namespace thalweg {

/// Opens a file at its first step and closes it after its last. Nothing throws but the constructor:
/// failures go to `failure`, and after one the writer goes on taking part in what a team does
/// together.
class OpenFiles {
 public:
  /// Collective over the writers. `failure` lives longer.
  OpenFiles(const Definition& definition, std::span<const LaneDivision> lanes, const Ranks& ranks,
            MPI_Comm writers, FirstFailure& failure);
  ~OpenFiles();
  OpenFiles(const OpenFiles&) = delete;
  OpenFiles& operator=(const OpenFiles&) = delete;

  /// Before the first step: the files that the run before left, up to the time at which this one
  /// continues.
  void go_on();
  /// The file of a stream's step, ready for its values; null once it is given up. Collective over
  /// its team where it is new.
  TeamFile* file_of(int stream, int step);
  /// After the last value of a step, or instead of it where it was dropped. Closes the file when
  /// this was its last step.
  void end_step(int stream, int step, bool dropped);
  /// Ends what is still open: files then hold the times that were written.
  void close();
  void abandon() noexcept;
  /// A report of another writer (tag_written).
  void hear(const MPI_Status& status) {
    try {
      reports_.hear(status);
    } catch (const std::exception& error) {
      failure_.keep(error);
    }
  }
  /// After close() or abandon(), on every writer: until all reports are heard.
  void leave() { reports_.leave(); }

 private:
  struct Open {
    std::unique_ptr<TeamFile> file;  ///< null: given up
    std::size_t steps_left = 0;
    int step = -1;         ///< under way, or the last one
    bool begun = false;    ///< a step was put or dropped, by this run or the one before
    bool dropped = false;  ///< any of its steps was
  };
  Open& open_for(int stream, int step);
  void make_next_file(int stream, int file);
  std::unique_ptr<TeamFile> make_file(int stream, int file, const JournalContent& kept);
  void begin_journal(int stream, int file, JournalContent content);
  void begin_step(Open& open, int stream, int step) const;
  void announce_change(int stream, int step);
  void tell(int stream, int step, Open& open, bool dropped);
  void close_earlier(int stream, int file);
  /// `early`: times that it was to get have not passed.
  void close_file(int stream, int file, Open& open, bool early = false);
  std::optional<JournalContent> agree_on_kept(int lane, int stream, int file) const;
  void forget_journal(int stream, int file) const;
  /// Of the name of a file without times, which an earlier run in the directory wrote.
  void remove_older_output(int lane, int stream, int file) const;
  bool is_head(int lane) const { return lanes_[lane].team.front() == ranks_.writer(); }
  void make_rooms();
  MPI_Comm team_of_file(int lane) const;

  const Definition& definition_;
  std::span<const LaneDivision> lanes_;
  Ranks ranks_;
  FirstFailure& failure_;
  std::vector<MPI_Comm> teams_;                   // [lane] null where this rank is not of the team
  std::vector<std::unique_ptr<FileRoom>> rooms_;  // [lane] of the file that is open; may be null
  std::map<FileKey, Open> open_;
  std::map<FileKey, JournalContent> kept_;  // of an interrupted run, until it is opened
  Reports reports_;
};

}  // namespace thalweg
