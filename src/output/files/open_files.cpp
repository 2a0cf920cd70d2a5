// SPDX-License-Identifier: Apache-2.0
// Files in the order of their steps; the head of a team keeps the journal of each.
#include "output/files/open_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/call_limit.hpp"
#include "file/checksum_log.hpp"
#include "output/deal/describe_file.hpp"
#include "output/files/kept_files.hpp"
#include "output/files/take_back.hpp"
#include "ranks/agreement.hpp"
#include "thalweg/error.hpp"
#include "thalweg/timers.hpp"

namespace thalweg {

namespace {

namespace fs = std::filesystem;

bool is_member(const LaneDivision& lane, int writer) {
  return std::find(lane.team.begin(), lane.team.end(), writer) != lane.team.end();
}

}  // namespace

OpenFiles::OpenFiles(const Definition& definition, std::span<const LaneDivision> lanes,
                     const Ranks& ranks, MPI_Comm writers, FirstFailure& failure)
    : definition_(definition),
      lanes_(lanes),
      ranks_(ranks),
      failure_(failure),
      reports_(ranks, lanes) {
  come_together(writers, "all writers to begin");
  for (const auto& lane : lanes_) {
    const CallLimit limit("all writers to begin");
    const bool member = is_member(lane, ranks_.writer());
    teams_.push_back(MPI_COMM_NULL);
    MPI_Comm_split(writers, member ? 0 : MPI_UNDEFINED, ranks_.writer(), &teams_.back());
  }
  make_rooms();
}

OpenFiles::~OpenFiles() {
  open_.clear();
  rooms_.clear();
  for (auto& team : teams_) {
    if (team != MPI_COMM_NULL) MPI_Comm_free(&team);
  }
}

// For teams whose files grow while they are written. A lane has one file open at a time: its steps
// come in order. Who asks for messages gets no window.
void OpenFiles::make_rooms() {
  rooms_.resize(lanes_.size());
  if (definition_.words.transport == Transport::two_sided) return;
  for (int lane = 0; lane < static_cast<int>(lanes_.size()); ++lane) {
    const auto& division = lanes_[lane];
    if (teams_[lane] == MPI_COMM_NULL || division.team.size() == 1 || division.own_files) continue;
    const int stream = definition_.stream_of(lane);
    const auto& container = definition_.streams[stream].settings.container;
    const auto file = describe_file(definition_, division, stream, 0, ranks_.writer());
    if (find_container(container, definition_.settings.way).grows(file))
      rooms_[lane] = make_team_room(teams_[lane]);
  }
}

MPI_Comm OpenFiles::team_of_file(int lane) const {
  return lanes_[lane].own_files ? MPI_COMM_SELF : teams_[lane];
}

std::unique_ptr<TeamFile> OpenFiles::make_file(int stream, int file, const JournalContent& kept) {
  const auto& chosen = definition_.streams[stream];
  const int lane = chosen.first_lane + chosen.schedule.files()[file].partition;
  auto description = describe_kept(definition_, lanes_[lane], stream, file, ranks_.writer(), kept);
  if (is_head(lane)) {
    description.before_moving = [this, lane, stream, file] {
      const auto journal = journal_of(definition_, stream, file);
      auto known = read_journal(journal);
      if (!known) return;
      forget_blocks(*known);
      known->closed = false;
      for (const int writer : lanes_[lane].team)  // what this rank knows of parts that others move
        forget_written(describe_file(definition_, lanes_[lane], stream, file, writer).path);
      reports_.replace({stream, file}, Journal(journal, *known));
    };
  }
  if (is_head(lane) && description.kept.empty() && !failure_.happened()) {
    // A file that begins anew has no journal any more, and none of its own name but this one.
    std::error_code ignored;
    if (kept.lines.empty()) fs::remove(journal_of(definition_, stream, file), ignored);
    failure_.attempt([&] {
      if (definition_.same_files) remove_output(file_path(definition_, stream, file));
    });
  }
  auto made = std::make_unique<TeamFile>(
      find_container(chosen.settings.container, definition_.settings.way), description,
      team_of_file(lane), rooms_[lane].get(), !failure_.happened());
  for (const auto& line : kept.lines)
    if (line.dropped) made->drop(line.step, line.time);
  if (!is_head(lane)) return made;
  auto content = kept;
  if (made->has_moved()) forget_blocks(content);
  content.history = description.history;
  content.bounds = description.bounds;
  content.alone = change_alone(lanes_[lane]);
  content.run = definition_.begun.run;
  content.more = false;
  // Its team has the file by now: whatever fails here alone, this rank goes on with them.
  failure_.attempt([&] { begin_journal(stream, file, content); });
  return made;
}

void OpenFiles::begin_journal(int stream, int file, JournalContent content) {
  const auto& chosen = definition_.streams[stream];
  const auto& lane = lanes_[chosen.first_lane + chosen.schedule.files()[file].partition];
  content.settings = file_settings(definition_, lane, stream, file);
  note_content(definition_, content);
  const int last_step = content.lines.empty() ? -1 : content.lines.back().step;
  reports_.begin({stream, file}, Journal(journal_of(definition_, stream, file), content), last_step,
                 static_cast<int>(lane.team.size()));
}

// A failed rank creates the file with its team all the same, and says that it failed.
OpenFiles::Open& OpenFiles::open_for(int stream, int step) {
  const auto& chosen = definition_.streams[stream];
  const int file = chosen.schedule.file_of(step);
  const auto known = open_.find({stream, file});
  if (known != open_.end()) return known->second;
  close_earlier(stream, file);
  auto& open = open_[{stream, file}];
  const auto kept = kept_.extract({stream, file});
  const auto content = kept.empty() ? JournalContent() : kept.mapped();
  for (const auto time : chosen.schedule.files()[file].times) {
    const bool before = definition_.continues_after && time <= *definition_.continues_after;
    open.steps_left += before ? 0 : 1;
  }
  open.begun = !content.lines.empty();
  open.dropped = std::any_of(content.lines.begin(), content.lines.end(),
                             [](const KeptLine& line) { return line.dropped; });
  const double begin_s = now_s();
  const auto make = [&] { open.file = make_file(stream, file, content); };
  if (!failure_.happened()) {
    failure_.attempt(make);
  } else {
    try {
      make();
    } catch (const std::exception&) {  // the file does not come to be; why is known already
    }
  }
  add_time(Timer::io_create, begin_s, now_s());
  record_event(EventKind::write, begin_s, now_s(), 0, chosen.settings.name, "", step);
  return open;
}

TeamFile* OpenFiles::file_of(int stream, int step) {
  auto& open = open_for(stream, step);
  open.begun = true;
  failure_.attempt([&] {
    if (open.file) begin_step(open, stream, step);
  });
  return open.file.get();
}

// A model may pass over times: who puts a later one will not come back.
void OpenFiles::close_earlier(int stream, int file) {
  const auto& files = definition_.streams[stream].schedule.files();
  for (int earlier = 0; earlier < file; ++earlier) {
    const auto found = open_.find({stream, earlier});
    if (files[earlier].partition != files[file].partition || found == open_.end()) continue;
    close_file(stream, earlier, found->second);
    open_.erase({stream, earlier});
  }
}

// Kept files are opened now, and completed where nothing follows.
void OpenFiles::go_on() {
  for (int lane = 0; lane < static_cast<int>(lanes_.size()); ++lane) {
    if (teams_[lane] == MPI_COMM_NULL) continue;
    const int stream = definition_.stream_of(lane);
    const auto& chosen = definition_.streams[stream];
    const auto& files = chosen.schedule.files();
    for (int file = 0; file < static_cast<int>(files.size()); ++file) {
      const auto& times = files[file].times;
      if (chosen.first_lane + files[file].partition != lane) continue;
      if (times.front() > *definition_.continues_after) continue;
      std::optional<JournalContent> kept;
      try {  // on every rank of the team, failed or not
        kept = agree_on_kept(lane, stream, file);
      } catch (const Error& error) {
        failure_.keep(error);
      }
      if (!kept) continue;
      kept_[{stream, file}] = *kept;
      if (!holds_values(*kept)) continue;
      auto& open = open_for(stream, files[file].steps.front());
      if (open.steps_left > 0) continue;
      close_file(stream, file, open);
      open_.erase({stream, file});
    }
  }
}

void OpenFiles::end_step(int stream, int step, bool dropped) {
  auto& open = open_for(stream, step);
  open.begun = true;
  open.dropped = open.dropped || dropped;
  const auto& chosen = definition_.streams[stream];
  if (open.file) {
    const double begin_s = now_s();
    try {
      if (dropped) {
        open.file->drop(step, chosen.schedule.time(step));
      } else {
        begin_step(open, stream, step);
        announce_change(stream, step);
        open.file->finish_time(!failure_.happened());
      }
    } catch (const std::exception& error) {
      failure_.keep(error);  // the file stays: what its team does together needs every one of them
    }
    failure_.attempt([&] { tell(stream, step, open, dropped); });
    add_time(Timer::io_write, begin_s, now_s());
    record_event(EventKind::write, begin_s, now_s(), 0, chosen.settings.name, "", step);
  }
  if (--open.steps_left > 0) return;
  const int file = chosen.schedule.file_of(step);
  const double begin_s = now_s();
  close_file(stream, file, open);
  open_.erase({stream, file});
  add_time(Timer::io_close, begin_s, now_s());
  record_event(EventKind::close, begin_s, now_s(), 0, chosen.settings.name, "", step);
  if (ranks_.dedicated()) make_next_file(stream, file);
}

// Written together, so nobody begins before the head does.
void OpenFiles::announce_change(int stream, int step) {
  const int lane = definition_.lane_of(stream, step);
  if (!is_fragile(definition_, stream) || change_alone(lanes_[lane]) || !is_head(lane)) return;
  const int file = definition_.streams[stream].schedule.file_of(step);
  failure_.attempt([&] { reports_.change({stream, file}); });
}

void OpenFiles::begin_step(Open& open, int stream, int step) const {
  if (std::exchange(open.step, step) == step) return;
  open.file->begin_time(step, definition_.streams[stream].schedule.time(step));
}

// This writer's part of a step is in the file.
void OpenFiles::tell(int stream, int step, Open& open, bool dropped) {
  const auto& schedule = definition_.streams[stream].schedule;
  const int lane = definition_.lane_of(stream, step);
  if (dropped && !is_head(lane)) return;
  JournalLine line{step, schedule.time(step), dropped, JournalJson::object()};
  if (!dropped) {
    const auto& path = open.file->description().path;
    auto& mine = line.files[fs::path(path).filename().string()];
    mine = JournalJson::object();
    if (const auto place = open.file->place_of(open.file->times() - 1); !place.empty())
      mine["place"] = place;
    for (const auto& [written, blocks] : take_new_written(path)) {
      const auto name = fs::path(written).lexically_relative(definition_.settings.directory);
      mine["blocks"][name.string()] = blocks_to_json(blocks);
    }
  }
  reports_.tell({stream, schedule.file_of(step)}, lanes_[lane].team.front(), line);
}

// Now, when compute ranks are busy with the steps before it: not when its first step is there.
void OpenFiles::make_next_file(int stream, int file) {
  const auto& files = definition_.streams[stream].schedule.files();
  const auto& last = files[file];
  const FileTimes* next = nullptr;
  for (const auto& other : files) {
    if (other.partition != last.partition || other.steps.front() <= last.steps.back()) continue;
    if (next == nullptr || other.steps.front() < next->steps.front()) next = &other;
  }
  if (next != nullptr) open_for(stream, next->steps.front());
}

void OpenFiles::close_file(int stream, int file, Open& open, bool early) {
  const auto& chosen = definition_.streams[stream];
  const int partition = chosen.schedule.files()[file].partition;
  const int lane = chosen.first_lane + partition;
  // The journal knows every time before the file gets its final name.
  const bool whole =
      all_true(teams_[lane], open.file && !failure_.happened(), "the other writers of a file");
  if (whole && is_head(lane)) failure_.attempt([&] { reports_.hear_all({stream, file}); });
  bool ready = whole;
  bool unmoved = open.file && open.file->is_full();  // with fewer times it is cut to them
  if (whole && change_alone(lanes_[lane])) {         // each moves what is in its own part
    const auto& parts = "the other writers of parts";
    bool stays = false;
    open.file->end_times();
    failure_.attempt([&] { stays = !open.file->will_move(); });
    const bool stay = all_true(teams_[lane], stays, parts);
    unmoved = unmoved && stay;
    if (!stay && is_head(lane)) failure_.attempt(open.file->description().before_moving);
    ready = all_true(teams_[lane], !failure_.happened(), parts);
  }
  std::optional<FileDescription> written;
  if (open.file) {
    try {
      open.file->close(ready && !failure_.happened());
      unmoved = unmoved && !open.file->moved_at_close();
      if (open.file->times() > 0) written = open.file->description();
    } catch (const std::exception& error) {
      open.file.reset();
      failure_.keep(error);
    }
  }
  end_written(describe_file(definition_, lanes_[lane], stream, file, ranks_.writer()).path);
  const bool complete =
      lanes_[lane].own_files
          ? all_true(teams_[lane], written && !failure_.happened(), "the writers of the parts")
          : whole && written;
  if (!is_head(lane)) return;
  // Parts are complete under their names: then, and only then, comes the file that ties them
  // together; and when all of it is there, the journal says so.
  failure_.attempt([&] {
    if (complete && has_index(definition_, lanes_[lane], stream))
      write_index(definition_, lanes_[lane], stream, file, *written);
    const bool all_dropped = whole && open.file && !written && open.dropped;
    if (whole && open.file && !written && open.begun) remove_older_output(lane, stream, file);
    reports_.end({stream, file}, complete || all_dropped, unmoved, early);
  });
  if (whole && open.file && !written && !open.dropped) forget_journal(stream, file);
}

void OpenFiles::remove_older_output(int lane, int stream, int file) const {
  remove_output(file_path(definition_, stream, file));
  for (const int writer : lanes_[lane].team)
    remove_output(describe_file(definition_, lanes_[lane], stream, file, writer).path);
}

void OpenFiles::forget_journal(int stream, int file) const {
  std::error_code ignored;
  fs::remove(journal_of(definition_, stream, file), ignored);
}

// The head looks, the others learn what it found.
std::optional<JournalContent> OpenFiles::agree_on_kept(int lane, int stream, int file) const {
  std::string text;
  std::optional<JournalContent> mine;
  if (is_head(lane)) {
    try {
      const auto settings = file_settings(definition_, lanes_[lane], stream, file);
      const auto kept = kept_of(definition_, lanes_[lane], stream, file, settings, true);
      text = "-";
      if (kept) {  // the others need no checksums
        mine = kept;
        auto told = *kept;
        forget_blocks(told);
        text = "+" + to_text(told);
      }
      if (!kept && collects_checksums()) {  // of a file that stays, or was moved away, as it is
        if (const auto before = written_before(definition_, stream, file))
          note_content(definition_, *before);
      }
      const bool some = kept && holds_values(*kept);
      if (some && is_fragile(definition_, stream)) {
        Journal(journal_of(definition_, stream, file), *kept).change();
      } else if (some && change_alone(lanes_[lane])) {
        auto moving = *kept;  // each writer may move what is in its part
        forget_blocks(moving);
        Journal(journal_of(definition_, stream, file), moving);
      }
      // Its parts are about to be taken back aside: it would show fill values.
      std::error_code refused;
      const auto index = file_path(definition_, stream, file);
      if (kept && has_index(definition_, lanes_[lane], stream)) fs::remove(index, refused);
      if (refused) {
        throw Error(Blame::file_system, fmt::format("cannot remove '{}', whose parts go on: {}",
                                                    index, refused.message()));
      }
    } catch (const std::exception& caught) {
      const auto error = error_of(caught);
      text = std::to_string(static_cast<int>(error.blame())) + error.what();
    }
  }
  text = broadcast_text(teams_[lane], 0, text);
  if (text.front() == '-') return std::nullopt;
  if (text.front() == '+') return mine ? mine : content_of(text.substr(1));
  throw Error(static_cast<Blame>(text.front() - '0'), text.substr(1));
}

void OpenFiles::close() {
  for (auto& [key, open] : open_) {
    const bool early = open.steps_left > 0;  // the model ends before times that would be due
    close_file(key.first, key.second, open, early);
  }
  open_.clear();
  // Kept files that were never opened have no values: nor has the run now.
  for (const auto& [key, content] : kept_) {
    const auto& chosen = definition_.streams[key.first];
    const int lane = chosen.first_lane + chosen.schedule.files()[key.second].partition;
    if (content.lines.empty() && is_head(lane) && !failure_.happened())
      forget_journal(key.first, key.second);
  }
  kept_.clear();
}

void OpenFiles::abandon() noexcept {
  for (auto& [key, open] : open_) {
    if (!open.file) continue;
    if (open.begun) {
      open.file->abandon();
    } else {
      open.file->discard();
      forget_journal(key.first, key.second);
    }
  }
  open_.clear();
}

}  // namespace thalweg
