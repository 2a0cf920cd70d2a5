// SPDX-License-Identifier: Apache-2.0
// A report is a line of the journal as JSON, with the file it is about; the last one is about none.
#include "output/files/reports.hpp"

#include <algorithm>
#include <utility>

#include "output/deal/tags.hpp"
#include "thalweg/wait.hpp"

namespace thalweg {

namespace {

/// Writers of one file tell of blocks of the same file.
void add_files(JournalJson& into, const JournalJson& files) {
  for (const auto& [name, part] : files.items()) {
    auto& all = into.emplace(name, JournalJson::object()).first.value();
    if (part.contains("place")) all["place"] = part["place"];
    const auto told = part.value("blocks", JournalJson::object());
    for (const auto& [path, blocks] : told.items())
      for (const auto& block : blocks) all["blocks"][path].push_back(block);
  }
}

}  // namespace

Reports::Reports(const Ranks& ranks, std::span<const LaneDivision> lanes)
    : ranks_(ranks), outbox_(ranks.control) {
  for (const auto& lane : lanes) {
    const int head = lane.team.front();
    if (head == ranks_.writer()) {
      members_.insert(lane.team.begin() + 1, lane.team.end());
    } else if (std::find(lane.team.begin(), lane.team.end(), ranks_.writer()) != lane.team.end()) {
      heads_.insert(head);
    }
  }
}

void Reports::begin(FileKey file, Journal journal, int last_step, int team) {
  auto& open = open_[file];
  open.last_step = last_step;
  open.journal.emplace(std::move(journal));
  open.team = team;
  write_whole(open);
}

void Reports::tell(FileKey file, int head, const JournalLine& line) {
  if (head == ranks_.writer()) {
    take(file, line);
    hear_what_is_there();
    return;
  }
  const JournalJson report{{"file", {file.first, file.second}},
                           {"step", line.step},
                           {"time_ms", line.time.ms()},
                           {"files", line.files}};
  outbox_.post_text(ranks_.rank_of_writer(head), tag_written, report.dump());
}

void Reports::hear(const MPI_Status& status) {
  const auto report = JournalJson::parse(take_text(status, ranks_.control));
  if (!report.contains("file")) {
    ++left_;
    return;
  }
  take({report["file"][0], report["file"][1]},
       {report["step"], ModelTime::of_ms(report["time_ms"]), false, report["files"]});
}

// Lines are written in the order of steps: what is whole in the file up to here, and nothing else.
void Reports::take(FileKey file, const JournalLine& line) {
  auto& open = open_[file];
  const auto [entry, fresh] = open.waiting.try_emplace(line.step, Waiting{0, line});
  if (!fresh) add_files(entry->second.line.files, line.files);
  ++entry->second.told;
  write_whole(open);
}

void Reports::write_whole(Open& open) {
  while (open.journal && !open.waiting.empty()) {
    const auto first = open.waiting.begin();
    if (!first->second.line.dropped && first->second.told < open.team) return;
    auto line = std::move(first->second.line);
    open.waiting.erase(first);
    auto journal = std::exchange(open.journal, std::nullopt);  // nothing follows a torn line
    journal->add(line);
    open.last_step = line.step;
    open.journal = std::move(journal);
  }
}

void Reports::hear_what_is_there() {
  if (members_.empty()) return;
  for (int there = 1; there != 0;) {
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, tag_written, ranks_.control, &there, &status);
    if (there != 0) hear(status);
  }
}

void Reports::hear_all(FileKey file) {
  const auto found = open_.find(file);
  if (found == open_.end()) return;
  wait_until([&] { return hear_what_is_there(), found->second.waiting.empty(); },
             "the other writers of a file to tell what they wrote", 0.0002);
}

void Reports::replace(FileKey file, Journal journal) {
  const auto found = open_.find(file);
  if (found != open_.end() && found->second.journal) found->second.journal = std::move(journal);
}

void Reports::change(FileKey file) {
  hear_all(file);
  const auto found = open_.find(file);
  if (found == open_.end()) return;
  auto journal = std::exchange(found->second.journal, std::nullopt);  // nothing follows a torn line
  if (journal) journal->change();
  found->second.journal = std::move(journal);
}

void Reports::end(FileKey file, bool complete, bool unmoved, bool early) {
  const auto found = open_.find(file);
  if (found == open_.end()) return;
  if (complete && found->second.journal) {
    auto& open = found->second;
    open.journal->close(unmoved, early ? std::optional(open.last_step) : std::nullopt);
  }
  open_.erase(found);
}

void Reports::leave() {
  for (const int head : heads_) {
    outbox_.post_text(ranks_.rank_of_writer(head), tag_written, "{}");
  }
  wait_until([&] { return hear_what_is_there(), left_ == static_cast<int>(members_.size()); },
             "the other writers' last reports", 0.0002);
  outbox_.drain("the heads of files to take reports");
}

}  // namespace thalweg
