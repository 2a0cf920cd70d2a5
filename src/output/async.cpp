// SPDX-License-Identifier: Apache-2.0
// Mode async on a compute rank: copy into a staging slot, announce it, go on computing.
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <map>

#include "output/mode.hpp"
#include "output/outbox.hpp"
#include "output/runs_exchange.hpp"
#include "output/staging.hpp"
#include "output/tags.hpp"
#include "output/transport.hpp"
#include "thalweg/timers.hpp"
#include "thalweg/trace.hpp"
#include "thalweg/wait.hpp"

namespace thalweg {

namespace {

class Async final : public Mode {
 public:
  Async(const Definition& definition, const Ranks& ranks, const OwnedRuns& runs)
      : definition_(definition),
        ranks_(ranks),
        owned_(count_points(runs)),
        map_(definition, owned_),
        lanes_(static_cast<std::size_t>(definition.lanes())),
        outbox_(ranks.control) {
    RunsMessage message;
    for (int io = 0; io < ranks_.io_ranks; ++io) {
      send_runs(runs, ranks_.compute_ranks + io, ranks_.control, message);
    }
    wait_all(message.requests, "I/O ranks to take the owned points");
    transport_ = make_transport(definition.settings.transport, ranks_, definition_, {map_});
  }

  std::string describe() const override {
    return fmt::format("async, {} I/O rank{}, transport {}", ranks_.io_ranks,
                       ranks_.io_ranks == 1 ? "" : "s", transport_->name());
  }

  void put(int stream, int step, int position, const FieldView& view) override {
    const int lane = definition_.lane_of(stream, step);
    auto& state = lanes_[static_cast<std::size_t>(lane)];
    const auto& chosen = definition_.streams[static_cast<std::size_t>(stream)];
    const auto& field =
        definition_
            .fields[static_cast<std::size_t>(chosen.fields[static_cast<std::size_t>(position)])];
    if (!state.filling) acquire(lane, chosen.settings.name, step);

    const double begin_s = now_s();
    const auto place = static_cast<std::size_t>(field.place);
    const auto levels = definition_.levels_of(chosen, field);
    const auto offset = map_.slot_offset(lane, state.slot) + map_.field_offset(lane, position);
    state.orders[static_cast<std::size_t>(position)] =
        pack(view, owned_[place], field.levels, levels, transport_->memory() + offset);
    add_time(Timer::output_copy, begin_s, now_s());
    record_event(EventKind::copy, begin_s, now_s(),
                 map_.field_size(lane, position) * static_cast<std::int64_t>(sizeof(double)),
                 chosen.settings.name, field.name, step);
    if (ranks_.rank == 0 && trace_watches(field.name, step)) {
      trace_stop("mode", -1, 0.0,
                 fmt::format("async: lane {}, slot {}, transport {}, I/O rank {}", lane, state.slot,
                             transport_->name(), io_rank(lane)));
    }
  }

  void finish_step(int stream, int step) override {
    const int lane = definition_.lane_of(stream, step);
    auto& state = lanes_[static_cast<std::size_t>(lane)];
    const double begin_s = now_s();
    transport_->publish(lane, state.slot, definition_.io_rank_of(lane, ranks_.io_ranks));
    std::vector<std::int64_t> announcement{stream, step, state.slot};
    for (const auto order : state.orders) announcement.push_back(static_cast<std::int64_t>(order));
    outbox_.post(io_rank(lane), tag_step, std::move(announcement));
    record_event(EventKind::send, begin_s, now_s(),
                 map_.slot_size(lane) * static_cast<std::int64_t>(sizeof(double)),
                 definition_.streams[static_cast<std::size_t>(stream)].settings.name, "", step);
    state.busy[static_cast<std::size_t>(state.slot)] = true;
    state.slot = (state.slot + 1) % SlotMap::slots_per_lane;
    state.filling = false;
    poll();
  }

  void poll() override {
    for (;;) {
      int there = 0;
      MPI_Status status;
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, ranks_.control, &there, &status);
      if (there == 0) return;
      receive(status);
    }
  }

  void close(bool abandon) override {
    for (int io = 0; io < ranks_.io_ranks; ++io) {
      outbox_.post(ranks_.compute_ranks + io, tag_close, {abandon ? 1 : 0});
    }
    wait_until([&] { return poll(), done_ == ranks_.io_ranks; },
               "I/O ranks to complete their files", 0.001);
    for (int lane = 0; lane < definition_.lanes(); ++lane) {
      for (int slot = 0; slot < SlotMap::slots_per_lane; ++slot) transport_->reclaim(lane, slot);
    }
    outbox_.drain("I/O ranks to take announcements");
    transport_.reset();  // collective with the I/O ranks
  }

 private:
  struct Lane {
    bool filling = false;
    int slot = 0;
    std::array<bool, SlotMap::slots_per_lane> busy{};  ///< published and not yet taken
    std::vector<ArrayOrder> orders;                    ///< [position] of the step being filled
  };

  int io_rank(int lane) const {
    return ranks_.compute_ranks + definition_.io_rank_of(lane, ranks_.io_ranks);
  }

  // Waits until the next slot of the lane is free: the only place where async output stalls a
  // model.
  void acquire(int lane, std::string_view stream, int step) {
    auto& state = lanes_[static_cast<std::size_t>(lane)];
    const auto slot = static_cast<std::size_t>(state.slot);
    poll();
    if (state.busy[slot]) {
      const double begin_s = now_s();
      wait_until([&] { return poll(), !state.busy[slot]; }, "a free staging buffer", 0.0005);
      add_time(Timer::output_wait, begin_s, now_s());
      record_event(EventKind::wait, begin_s, now_s(), 0, stream, "", step);
    }
    const auto stream_index = static_cast<std::size_t>(definition_.stream_of(lane));
    state.orders.assign(definition_.streams[stream_index].fields.size(),
                        ArrayOrder::level_innermost);
    state.filling = true;
  }

  void receive(const MPI_Status& status) {
    if (status.MPI_TAG == tag_error) {
      int size = 0;
      MPI_Get_count(&status, MPI_CHAR, &size);
      std::string text(static_cast<std::size_t>(size), '\0');
      MPI_Recv(text.data(), size, MPI_CHAR, status.MPI_SOURCE, tag_error, ranks_.control,
               MPI_STATUS_IGNORE);
      fail(Error(static_cast<Blame>(text.front() - '0'), text.substr(1)));
      return;
    }
    std::array<std::int64_t, 2> values{};
    MPI_Recv(values.data(), 2, MPI_INT64_T, status.MPI_SOURCE, status.MPI_TAG, ranks_.control,
             MPI_STATUS_IGNORE);
    if (status.MPI_TAG == tag_done) ++done_;
    if (status.MPI_TAG == tag_credit) {
      const auto lane = static_cast<int>(values[0]), slot = static_cast<int>(values[1]);
      transport_->reclaim(lane, slot);
      lanes_[static_cast<std::size_t>(lane)].busy[static_cast<std::size_t>(slot)] = false;
    }
  }

  const Definition& definition_;
  Ranks ranks_;
  std::array<std::int64_t, 3> owned_;  // [place]
  SlotMap map_;
  std::vector<Lane> lanes_;
  std::unique_ptr<Transport> transport_;
  Outbox outbox_;
  int done_ = 0;
};

}  // namespace

std::unique_ptr<Mode> make_async(const Definition& definition, const Ranks& ranks,
                                 const OwnedRuns& runs) {
  return std::make_unique<Async>(definition, ranks, runs);
}

}  // namespace thalweg
