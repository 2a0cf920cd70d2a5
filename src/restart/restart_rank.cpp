// SPDX-License-Identifier: Apache-2.0
// A restart rank: takes the parts of its share of compute ranks and writes them; the first one
// completes the sets and tells everybody.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <set>

#include "base/wait_companion.hpp"
#include "ranks/agreement.hpp"
#include "ranks/outbox.hpp"
#include "ranks/pulse.hpp"
#include "restart/set_directory.hpp"
#include "restart/staged.hpp"
#include "restart/tags.hpp"
#include "thalweg/timers.hpp"

namespace thalweg {

namespace {

// What follows: parts, an error, an error after which parts were not taken.
constexpr char whole_report = 'P', failed_report = 'E', broken_report = 'B';

class RestartRank {
 public:
  RestartRank(const RestartTeam& team, const RestartModeEntry& entry)
      : team_(team),
        entry_(entry),
        part_bytes_(team.compute_ranks, 0),
        outbox_(team.control),
        pulse_(team.control, tag_restart_pulse, [&team](int rank) { return team.name_of(rank); }) {
    for (int rank = 0; rank < team.compute_ranks; ++rank) {
      share_ += taker_of(rank, team.compute_ranks, team.restart_ranks) == self() ? 1 : 0;
    }
  }

  void serve() {
    // A set in flight is completed even if the model ended with an error.
    while (std::ssize(closed_) < team_.compute_ranks || head_) {
      const auto letter = await_letter();
      if (!letter) break;
      try {
        receive(*letter);
      } catch (const std::exception& error) {
        break_down(error);
      }
    }
    if (abandoned_) {
      static_cast<void>(staging_.release());  // its other owners do not free it either
      throw Error(Blame::user, "the compute ranks ended before they closed their restart");
    }
    outbox_.drain("compute ranks to take the last words");
    staging_.reset();  // collective with the compute ranks
    if (failure_) throw *failure_;
  }

 private:
  int self() const { return team_.rank - team_.compute_ranks; }

  // No time limit: a model may compute for hours between sets. Where some compute ranks have left
  // without a close, the others do, too, or died: nothing if they are silent.
  std::optional<MPI_Status> await_letter() const {
    const double begin_s = now_s();
    MPI_Status status;
    int there = 0;
    for (long nap_ns = 20'000;; nap_ns = std::min(nap_ns * 2, 1'000'000L)) {
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, team_.control, &there, &status);
      if (there != 0) break;
      if (abandoned_ && now_s() - begin_s > wait_timeout_s()) return std::nullopt;
      const timespec nap{0, nap_ns};
      nanosleep(&nap, nullptr);
    }
    add_time(Timer::restart_idle, begin_s, now_s());
    return status;
  }

  void receive(const MPI_Status& status) {
    if (pulse_.take(status)) return;
    const auto text = take_text(status, team_.control);
    const int source = status.MPI_SOURCE;
    switch (status.MPI_TAG) {
      case tag_restart_seal:
        return seal(source, words_of(text).front());
      case tag_restart_head:
        return open_set(text);
      case tag_restart_part:
        waiting_.push_back({source, words_of(text).front()});
        return take_parts();
      case tag_restart_report:
        return collect(text);
      case tag_restart_close:
        closed_.insert(source);
        abandoned_ = abandoned_ || words_of(text).front() != 0;
        return give_up_parts();
      default:
        throw Error(Blame::bug, fmt::format("restart: message {}", status.MPI_TAG));
    }
  }

  void seal(int source, std::int64_t bytes) {
    part_bytes_[source] = bytes;
    if (++sealed_ < team_.compute_ranks) return;
    places_ = entry_.place(part_bytes_, team_.restart_ranks);
    failure_ = attempt(team_.rank, [&] {  // if it fails, then on the compute ranks as well
      staging_ =
          make_staging_memory(parse_transport(team_.settings.transport), staging_ranks(team_), 0);
    });
  }

  // This rank can take nothing any more: no set becomes whole, but everybody is to hear of it.
  void break_down(const std::exception& error) {
    broken_ = true;
    guarded([&] { throw Error(error_of(error)); });
    if (!head_) return;
    taken_ = share_;
    report();
  }

  // After the last word of a compute rank its part does not come any more.
  void give_up_parts() {
    if (!head_) return;
    const auto gone = std::find_if(closed_.begin(), closed_.end(), [&](int rank) {
      return taker_of(rank, team_.compute_ranks, team_.restart_ranks) == self() &&
             !handed_over_.contains(rank);
    });
    if (gone == closed_.end()) return;
    break_down(
        Error(Blame::user, fmt::format("{} ended before it handed over its part of a restart set",
                                       team_.name_of(*gone))));
  }

  void open_set(std::string head) {
    begin_s_ = now_s();
    if (!broken_) set_failure_.reset();
    words_.clear();
    taken_ = 0;
    handed_over_.clear();
    kept_ = take_line(head);
    head_.emplace();
    guarded([&] {
      head_ = Manifest::parse(head, "head of a restart set");
      make_set_directory(team_.settings.directory, head_->date);
      const auto mine = std::find_if(places_.begin(), places_.end(),
                                     [&](const PartPlace& each) { return each.writer == self(); });
      file_.emplace(unfinished_path(team_.settings.directory, head_->date) + "/" + mine->file,
                    mine->file_bytes);
    });
    take_parts();
    give_up_parts();
  }

  void take_parts() {
    while (head_ && !waiting_.empty()) {
      const auto [source, index_bytes] = waiting_.front();
      waiting_.pop_front();
      handed_over_.insert(source);
      take(source, index_bytes);
      if (++taken_ == share_) report();
    }
  }

  // Everything is taken even when it can no longer be written: the source must get rid of it. Who
  // is broken cannot, and says so.
  void take(int source, std::int64_t index_bytes) {
    if (broken_) return;
    const double begin_s = now_s();
    const auto bytes = part_bytes_[source];
    const auto start = [&](std::int64_t offset) {
      auto& buffer = buffers_[offset / chunk_bytes % 2];
      if (!staging_->in_place(source)) buffer.resize(chunk_bytes);
      return staging_->fetch(source, staging_tag, offset, std::min(chunk_bytes, bytes - offset),
                             buffer.data());
    };
    guarded([&] { file_->begin_part(source, places_[source].offset, index_bytes); });
    const std::byte* next = bytes > 0 ? start(0) : nullptr;
    for (std::int64_t offset = 0; offset < bytes; offset += chunk_bytes) {
      staging_->fetch_all();
      const std::byte* chunk = next;
      if (offset + chunk_bytes < bytes) next = start(offset + chunk_bytes);
      const auto size = std::min(chunk_bytes, bytes - offset);
      for (std::int64_t done = 0; done < size; done += part_slab_bytes) {
        guarded([&] {
          file_->append(std::span(chunk + done, std::min(part_slab_bytes, size - done)));
        });
      }
    }
    guarded([&] { append_words(file_->end_part(), words_); });
    add_time(Timer::restart_write, begin_s, now_s());
    record_event(EventKind::write, begin_s, now_s(), bytes, "restart");
  }

  void report() {
    guarded([&] { file_->close(); });
    file_.reset();
    std::string text(1, broken_ ? broken_report : set_failure_ ? failed_report : whole_report);
    if (set_failure_) {
      text += encode_error(*set_failure_);
    } else {
      text.append(reinterpret_cast<const char*>(words_.data()),
                  words_.size() * sizeof(std::int64_t));
    }
    if (self() == 0) return collect(text);
    outbox_.post_text(team_.compute_ranks, tag_restart_report, text);
    head_.reset();
  }

  // First restart rank: when all have reported, the set is whole or given up.
  void collect(const std::string& text) {
    reports_.push_back(text);
    if (static_cast<int>(reports_.size()) < team_.restart_ranks) return;
    std::vector<PartEntry> parts;
    bool taken = true;
    for (const auto& each : reports_) {
      taken = taken && each.front() != broken_report;
      if (each.front() != whole_report) {
        if (!set_failure_) set_failure_ = decode_error(each.substr(1));
        continue;
      }
      const auto words = words_of(std::string_view(each).substr(1));
      for (std::size_t next = 0; next < words.size();) {
        parts.push_back(entry_from_words(words, next));
      }
    }
    reports_.clear();
    guarded([&] {
      std::sort(parts.begin(), parts.end(),
                [](const PartEntry& a, const PartEntry& b) { return a.rank < b.rank; });
      head_->files = files_of(places_, std::move(parts));
      complete_set(team_.settings.directory, *head_, kept_);
    });
    if (set_failure_ && !head_->date.empty()) give_up_set(team_.settings.directory, head_->date);
    head_.reset();
    const auto news =
        set_failure_ ? (taken ? parts_taken : parts_left) + encode_error(*set_failure_) : "";
    for (int rank = 0; rank < team_.compute_ranks; ++rank) {
      outbox_.post_text(rank, tag_restart_done, news);
    }
    record_event(EventKind::close, begin_s_, now_s(), 0, "restart");
  }

  // Runs one act of writing unless this set has failed before.
  template <class Act>
  void guarded(const Act& act) {
    if (set_failure_) return;
    set_failure_ = attempt(team_.rank, act);
    if (set_failure_) failure_ = set_failure_;
  }

  struct WaitingPart {
    int source;
    std::int64_t index_bytes;
  };

  const RestartTeam& team_;
  const RestartModeEntry& entry_;
  std::vector<std::int64_t> part_bytes_;  // [compute rank]
  std::vector<PartPlace> places_;         // [compute rank]
  Outbox outbox_;
  Pulse pulse_;
  std::unique_ptr<StagingMemory> staging_;
  std::array<std::vector<std::byte>, 2> buffers_;  // chunks that cannot be read in place
  std::deque<WaitingPart> waiting_;
  std::set<int> handed_over_;     // compute ranks whose part of the set in flight was taken
  std::optional<Manifest> head_;  // of the set in flight
  KeptSets kept_;                 // when it is whole
  std::optional<PartFile> file_;
  std::vector<std::int64_t> words_;   // parts written of this set
  std::vector<std::string> reports_;  // first restart rank
  std::optional<Error> set_failure_, failure_;
  double begin_s_ = 0.0;
  std::set<int> closed_;  // compute ranks
  int share_ = 0, sealed_ = 0, taken_ = 0;
  bool abandoned_ = false;
  bool broken_ = false;  // after an error of something else than writing
};

}  // namespace

void serve_restart_rank(const RestartTeam& team, const RestartModeEntry& entry) {
  RestartRank(team, entry).serve();
}

}  // namespace thalweg
