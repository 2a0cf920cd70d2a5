// SPDX-License-Identifier: Apache-2.0
// Mode async on an I/O rank: pull a field from every compute rank, reorder, convert, write.
#include "output/io_rank.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "output/outbox.hpp"
#include "output/runs_exchange.hpp"
#include "output/tags.hpp"
#include "output/transport.hpp"
#include "output/writer.hpp"
#include "thalweg/timers.hpp"

namespace thalweg {

namespace {

class IoRank {
 public:
  IoRank(const Definition& definition, const Ranks& ranks)
      : definition_(definition), ranks_(ranks), outbox_(ranks.control) {
    const auto runs = receive_runs(ranks_.compute_ranks, ranks_.control, nullptr);
    for (const auto& source : runs) maps_.emplace_back(definition_, count_points(source));
    transport_ = make_transport(definition_.settings.transport, ranks_, definition_, maps_);
    attempt([&] { writer_.emplace(definition_, runs); });
  }

  void serve() {
    while (closed_ < ranks_.compute_ranks) receive(next_message());
    attempt([&] { abandoned_ ? writer_->abandon() : writer_->close(); });
    if (writer_) writer_->abandon();
    for (int rank = 0; rank < ranks_.compute_ranks; ++rank) outbox_.post(rank, tag_done, {0, 0});
    outbox_.drain("compute ranks to take the last words");
    transport_.reset();  // collective with the compute ranks
    if (failure_) throw *failure_;
  }

 private:
  struct Step {
    int announced = 0;  ///< compute ranks that have published it
    int slot = 0;
    std::vector<ArrayOrder> orders;  ///< [position]
  };

  MPI_Status next_message() {
    const double begin_s = now_s();
    const auto status = await_message(MPI_ANY_SOURCE, MPI_ANY_TAG, ranks_.control);
    add_time(Timer::io_idle, begin_s, now_s());
    if (now_s() - begin_s > 1e-3) record_event(EventKind::idle, begin_s, now_s());
    return status;
  }

  void receive(const MPI_Status& status) {
    int size = 0;
    MPI_Get_count(&status, MPI_INT64_T, &size);
    std::vector<std::int64_t> values(static_cast<std::size_t>(size));
    MPI_Recv(values.data(), size, MPI_INT64_T, status.MPI_SOURCE, status.MPI_TAG, ranks_.control,
             MPI_STATUS_IGNORE);
    if (status.MPI_TAG == tag_close) {
      ++closed_;
      abandoned_ = abandoned_ || values[0] != 0;
      return;
    }
    const int stream = static_cast<int>(values[0]), step = static_cast<int>(values[1]);
    auto& pending = pending_[{stream, step}];
    pending.slot = static_cast<int>(values[2]);
    pending.orders.clear();
    for (std::size_t field = 3; field < values.size(); ++field) {
      pending.orders.push_back(static_cast<ArrayOrder>(values[field]));
    }
    if (++pending.announced < ranks_.compute_ranks) return;
    const auto ready = pending;
    pending_.erase({stream, step});
    take(stream, step, ready);
  }

  // Field by field, so that an I/O rank holds one field twice (as it came, in global order), not a
  // step.
  void take(int stream, int step, const Step& ready) {
    const int lane = definition_.lane_of(stream, step);
    const int fields =
        static_cast<int>(definition_.streams[static_cast<std::size_t>(stream)].fields.size());
    for (int position = 0; position < fields; ++position) {
      fetch(stream, step, lane, position, ready);
      if (position + 1 == fields) {  // everything is here: the slot is free before the last write
        for (int rank = 0; rank < ranks_.compute_ranks; ++rank) {
          outbox_.post(rank, tag_credit, {lane, ready.slot});
        }
      }
      attempt([&] { writer_->put(stream, step, position, arrays_); });
    }
    attempt([&] { writer_->finish_step(stream, step); });
  }

  void fetch(int stream, int step, int lane, int position, const Step& ready) {
    const double begin_s = now_s();
    std::int64_t total = 0;
    for (const auto& map : maps_) total += map.field_size(lane, position);
    if (static_cast<std::int64_t>(buffer_.size()) < total)
      buffer_.resize(static_cast<std::size_t>(total));
    arrays_.clear();
    double* into = buffer_.data();
    for (int source = 0; source < ranks_.compute_ranks; ++source) {
      transport_->fetch(source, lane, ready.slot, position, into);
      arrays_.push_back({into, ready.orders[static_cast<std::size_t>(position)]});
      into += maps_[static_cast<std::size_t>(source)].field_size(lane, position);
    }
    transport_->fetch_all();
    add_time(Timer::io_get, begin_s, now_s());
    const auto& chosen = definition_.streams[static_cast<std::size_t>(stream)];
    const auto& field =
        definition_
            .fields[static_cast<std::size_t>(chosen.fields[static_cast<std::size_t>(position)])];
    record_event(EventKind::get, begin_s, now_s(),
                 total * static_cast<std::int64_t>(sizeof(double)), chosen.settings.name,
                 field.name, step);
  }

  // Runs one act of writing unless something failed before; tells all compute ranks when it fails.
  template <class Act>
  void attempt(const Act& act) {
    if (failure_) return;
    try {
      act();
    } catch (const Error& error) {
      failure_ = error;
      const auto text = std::to_string(static_cast<int>(error.blame())) +
                        fmt::format("I/O rank {}: {}", ranks_.rank, error.what());
      for (int rank = 0; rank < ranks_.compute_ranks; ++rank) {
        MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, rank, tag_error,
                 ranks_.control);
      }
    }
  }

  const Definition& definition_;
  Ranks ranks_;
  std::vector<SlotMap> maps_;  // [source]
  std::unique_ptr<Transport> transport_;
  std::optional<Writer> writer_;
  std::map<std::pair<int, int>, Step> pending_;  // (stream, step)
  std::vector<double> buffer_;                   // one field of all sources
  std::vector<SourceArray> arrays_;              // [source] into buffer_
  Outbox outbox_;
  std::optional<Error> failure_;
  int closed_ = 0;
  bool abandoned_ = false;
};

}  // namespace

void serve_io_rank(const Definition& definition, const Ranks& ranks) {
  IoRank(definition, ranks).serve();
}

}  // namespace thalweg
