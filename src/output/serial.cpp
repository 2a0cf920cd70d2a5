// SPDX-License-Identifier: Apache-2.0
// Mode serial: every rank sends its part of a field to rank 0, which writes while the others wait.
#include <optional>

#include "output/mode.hpp"
#include "output/runs_exchange.hpp"
#include "output/staging.hpp"
#include "output/writer.hpp"
#include "thalweg/timers.hpp"
#include "thalweg/trace.hpp"
#include "thalweg/wait.hpp"

namespace thalweg {

namespace {

constexpr int tag_field = 0;

class Serial final : public Mode {
 public:
  Serial(const Definition& definition, const Ranks& ranks, const OwnedRuns& runs)
      : definition_(definition), ranks_(ranks), owned_(count_points(runs)) {
    if (ranks_.rank != 0) {
      RunsMessage message;
      send_runs(runs, 0, ranks_.control, message);
      wait_all(message.requests, "rank 0 to take the owned points");
      return;
    }
    const auto all = receive_runs(ranks_.compute_ranks, ranks_.control, &runs);
    for (const auto& source : all) points_.push_back(count_points(source));
    attempt([&] { writer_.emplace(definition_, all); });
  }

  std::string describe() const override { return "serial, rank 0 writes"; }

  void put(int stream, int step, int position, const FieldView& view) override {
    const auto& chosen = definition_.streams[static_cast<std::size_t>(stream)];
    const auto& field =
        definition_
            .fields[static_cast<std::size_t>(chosen.fields[static_cast<std::size_t>(position)])];
    const auto place = static_cast<std::size_t>(field.place);
    const auto levels = definition_.levels_of(chosen, field);
    const double begin_s = now_s();
    buffer_.resize(static_cast<std::size_t>(owned_[place]) * levels.size());
    const auto order = pack(view, owned_[place], field.levels, levels, buffer_.data());
    const double packed_s = now_s();
    add_time(Timer::output_copy, begin_s, packed_s);
    const auto bytes = static_cast<std::int64_t>(buffer_.size() * sizeof(double));
    record_event(EventKind::copy, begin_s, packed_s, bytes, chosen.settings.name, field.name, step);
    if (ranks_.rank != 0) {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Isend(buffer_.data(), static_cast<int>(buffer_.size()), MPI_DOUBLE, 0, tag_field,
                ranks_.data, &request);
      wait_all({&request, 1}, "rank 0 to gather a field");
      record_event(EventKind::send, packed_s, now_s(), bytes, chosen.settings.name, field.name,
                   step);
    } else {
      trace_mode(field, step);
      gather(place, levels.size(), order, chosen.settings.name, field.name, step);
      attempt([&] { writer_->put(stream, step, position, arrays_); });
    }
    add_time(Timer::output_wait, packed_s, now_s());
  }

  void finish_step(int stream, int step) override {
    if (ranks_.rank != 0) return;
    const ScopedTimer timer(Timer::output_wait);
    attempt([&] { writer_->finish_step(stream, step); });
  }

  void close(bool abandon) override {
    if (ranks_.rank != 0 || !writer_) return;
    if (abandon || failure()) {
      writer_->abandon();
    } else {
      attempt([&] { writer_->close(); });
    }
  }

 private:
  // Runs one act of writing; after a failure fields are still gathered, so that no rank waits, but
  // dropped.
  template <class Act>
  void attempt(const Act& act) {
    if (failure()) return;
    try {
      act();
    } catch (const Error& error) {
      fail(error);
    }
  }

  // All sources' arrays of one field, one after another in gathered_; this rank's own stay in
  // buffer_.
  void gather(std::size_t place, std::size_t levels, ArrayOrder order, std::string_view stream,
              std::string_view field, int step) {
    const double begin_s = now_s();
    std::size_t total = 0;
    for (const auto& points : points_) total += static_cast<std::size_t>(points[place]) * levels;
    gathered_.resize(std::max(gathered_.size(), total));
    arrays_.assign(1, {buffer_.data(), order});
    std::vector<MPI_Request> requests;
    double* into = gathered_.data();
    for (int source = 1; source < ranks_.compute_ranks; ++source) {
      const auto count =
          static_cast<std::size_t>(points_[static_cast<std::size_t>(source)][place]) * levels;
      requests.push_back(MPI_REQUEST_NULL);
      MPI_Irecv(into, static_cast<int>(count), MPI_DOUBLE, source, tag_field, ranks_.data,
                &requests.back());
      arrays_.push_back({into, order});  // all ranks run one program: the same order everywhere
      into += count;
    }
    wait_all(requests, "the other ranks' parts of a field");
    add_time(Timer::io_get, begin_s, now_s());
    record_event(EventKind::get, begin_s, now_s(),
                 static_cast<std::int64_t>((into - gathered_.data()) * sizeof(double)), stream,
                 field, step);
  }

  void trace_mode(const FieldInfo& field, int step) const {
    if (trace_watches(field.name, step)) {
      trace_stop("mode", -1, 0.0, "serial: rank 0 gathers the parts of all ranks and writes");
    }
  }

  const Definition& definition_;
  Ranks ranks_;
  std::array<std::int64_t, 3> owned_;                // [place]
  std::vector<std::array<std::int64_t, 3>> points_;  // [source][place], rank 0 only
  std::optional<Writer> writer_;                     // rank 0 only
  std::vector<double> buffer_, gathered_;
  std::vector<SourceArray> arrays_;
};

}  // namespace

std::unique_ptr<Mode> make_serial(const Definition& definition, const Ranks& ranks,
                                  const OwnedRuns& runs) {
  return std::make_unique<Serial>(definition, ranks, runs);
}

}  // namespace thalweg
