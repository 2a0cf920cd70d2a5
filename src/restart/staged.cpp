// SPDX-License-Identifier: Apache-2.0
// Modes async and dedicated_multifile on a compute rank: copy the part to staging memory, tell its
// restart rank, go on computing; learn later that the set is whole.
#include "restart/staged.hpp"

#include "ranks/agreement.hpp"
#include "ranks/outbox.hpp"
#include "ranks/pulse.hpp"
#include "ranks/question.hpp"
#include "restart/mode.hpp"
#include "restart/tags.hpp"
#include "thalweg/timers.hpp"
#include "thalweg/wait.hpp"

namespace thalweg {

StagingRanks staging_ranks(const RestartTeam& team) {
  StagingRanks ranks{team.data, {}, {}};
  for (int rank = 0; rank < team.compute_ranks; ++rank) ranks.sources.push_back(rank);
  for (int rank = 0; rank < team.restart_ranks; ++rank) {
    ranks.takers.push_back(team.compute_ranks + rank);
  }
  return ranks;
}

namespace {

class Staged final : public RestartMode {
 public:
  explicit Staged(const RestartTeam& team)
      : team_(team),
        taker_(team.compute_ranks + taker_of(team.rank, team.compute_ranks, team.restart_ranks)),
        outbox_(team.control),
        pulse_(team.control, tag_restart_pulse, [&team](int rank) { return team.name_of(rank); }) {}

  ~Staged() override {
    if (ended_) return;
    // An error ended the model on this rank. Restart ranks finish what they have and end too; what
    // is shared with them is left to the end of the program. The program may end as soon as this
    // returns: not before the set under way is whole.
    try {
      wait_for_news();
    } catch (const Error&) {  // nothing comes any more
    }
    tell_end(true);
    static_cast<void>(staging_.release());
  }

  void write(const Manifest& head, const KeptSets& kept, const Part& part) override {
    finish_set();
    const auto text =
        to_line(kept) + head.to_text();  // on all ranks: they throw together or not at all
    if (!staging_) seal(part.bytes());
    const double begin_s = now_s();
    part.copy(staging_->memory());
    for (std::int64_t offset = 0; offset < part.bytes(); offset += chunk_bytes) {
      staging_->offer(taker_, staging_tag, offset, std::min(chunk_bytes, part.bytes() - offset));
    }
    if (team_.rank == 0) {
      for (int rank = 0; rank < team_.restart_ranks; ++rank) {
        outbox_.post_text(team_.compute_ranks + rank, tag_restart_head, text);
      }
    }
    const auto index_bytes = part.index().index_bytes;
    outbox_.post_words(taker_, tag_restart_part, {index_bytes});
    pending_ = asking_ = true;
    add_time(Timer::restart_copy, begin_s, now_s());
    record_event(EventKind::copy, begin_s, now_s(), part.bytes(), "restart");
  }

  // Each call completes the question that the one before asked, so nobody waits in earnest; once
  // all ranks know that the set is whole, nothing is asked any more.
  void check() override {
    if (!asking_) return;
    poll();
    if (question_.is_open()) {
      wait_for(question_.request(), "compute ranks to agree on a restart set");
      const auto [any_failed, any_pending] = question_.largest();
      if (any_failed != 0) raise();
      if (any_pending == 0) asking_ = false;
    }
    if (!asking_) return;
    question_.ask(team_.compute, {failure_ ? 1 : 0, pending_ ? 1 : 0});
  }

  void complete() override { finish_set(); }

  void close() override {
    finish_set();
    end();
  }

 private:
  void poll() {
    int there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, tag_restart_done, team_.control, &there, &status);
    if (there == 0) return;
    const auto text = take_text(status, team_.control);
    if (!text.empty()) failure_ = decode_error(text.substr(1));
    pending_ = false;
    // What nobody has taken never leaves: the end of the staging memory frees it.
    if (text.empty() || text.front() == parts_taken) staging_->reclaim(staging_tag);
  }

  void wait_for_news() {
    if (!pending_) return;
    const double begin_s = now_s();
    wait_until([&] { return poll(), !pending_; }, "restart ranks to complete a set", 0.0005);
    add_time(Timer::restart_wait, begin_s, now_s());
    record_event(EventKind::wait, begin_s, now_s(), 0, "restart");
  }

  // Every rank gets the same news about the set in flight, so all throw or none.
  void finish_set() {
    if (question_.is_open()) {
      wait_for(question_.request(), "compute ranks to agree on a restart set");
    }
    asking_ = false;
    wait_for_news();
    if (failure_) raise();
  }

  [[noreturn]] void raise() {
    wait_for_news();
    const Error error = *failure_;
    end();
    throw error;
  }

  void seal(std::int64_t bytes) {
    for (int rank = 0; rank < team_.restart_ranks; ++rank) {
      outbox_.post_words(team_.compute_ranks + rank, tag_restart_seal, {bytes});
    }
    try {
      staging_ = make_staging_memory(parse_transport(team_.settings.transport),
                                     staging_ranks(team_), bytes);
    } catch (const Error&) {  // on all ranks
      end();
      throw;
    }
  }

  void tell_end(bool abandoned) {
    const std::int64_t word = abandoned ? 1 : 0;
    for (int rank = 0; rank < team_.restart_ranks; ++rank) {
      outbox_.post_words(team_.compute_ranks + rank, tag_restart_close, {word});
    }
  }

  void end() {
    ended_ = true;
    tell_end(false);
    outbox_.drain("restart ranks to take the last words");
    staging_.reset();  // collective with the restart ranks
  }

  const RestartTeam& team_;
  int taker_;
  Outbox outbox_;
  Pulse pulse_;
  std::unique_ptr<StagingMemory> staging_;  // one state
  bool pending_ = false;                    // a set is in flight, as far as this rank knows
  bool asking_ = false;                     // all ranks: somebody may have a set in flight
  Question<2> question_;                    // failed, pending
  std::optional<Error> failure_;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<RestartMode> make_staged(const RestartTeam& team, const RestartModeEntry&) {
  return std::make_unique<Staged>(team);
}

}  // namespace thalweg
