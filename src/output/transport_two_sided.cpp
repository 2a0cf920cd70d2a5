// SPDX-License-Identifier: Apache-2.0
// Transport two_sided: compute ranks send each field from the staging slot, I/O ranks receive.
#include <algorithm>
#include <map>

#include "output/transport.hpp"
#include "thalweg/wait.hpp"

namespace thalweg {

namespace {

class TwoSided final : public Transport {
 public:
  TwoSided(const Ranks& ranks, const Definition& definition, std::vector<SlotMap> maps)
      : ranks_(ranks), definition_(definition), maps_(std::move(maps)) {
    if (ranks_.is_compute()) memory_.resize(static_cast<std::size_t>(maps_.front().total()));
  }

  const char* name() const override { return "two_sided"; }
  double* memory() override { return memory_.data(); }

  void publish(int lane, int slot, int io) override {
    const auto& map = maps_.front();
    auto& requests = sends_[{lane, slot}];
    for (int field = 0; field < fields_of(lane); ++field) {
      const double* from =
          memory_.data() + map.slot_offset(lane, slot) + map.field_offset(lane, field);
      requests.push_back(MPI_REQUEST_NULL);
      MPI_Isend(from, static_cast<int>(map.field_size(lane, field)), MPI_DOUBLE,
                ranks_.compute_ranks + io, tag(lane, field), ranks_.data, &requests.back());
    }
  }

  void reclaim(int lane, int slot) override {
    auto& requests = sends_[{lane, slot}];
    wait_all(requests, "the last bytes of a received slot to leave");
    requests.clear();
  }

  void fetch(int source, int lane, int, int position, double* into) override {
    const auto& map = maps_[static_cast<std::size_t>(source)];
    receives_.push_back(MPI_REQUEST_NULL);
    MPI_Irecv(into, static_cast<int>(map.field_size(lane, position)), MPI_DOUBLE, source,
              tag(lane, position), ranks_.data, &receives_.back());
  }

  void fetch_all() override {
    wait_all(receives_, "fields from compute ranks");
    receives_.clear();
  }

 private:
  int fields_of(int lane) const {
    const auto stream = static_cast<std::size_t>(definition_.stream_of(lane));
    return static_cast<int>(definition_.streams[stream].fields.size());
  }
  // Messages of one tag do not overtake, and the steps of a lane are taken in order: no slot in the
  // tag.
  int tag(int lane, int field) const {
    return lane * static_cast<int>(definition_.fields.size()) + field;
  }

  Ranks ranks_;
  const Definition& definition_;
  std::vector<SlotMap> maps_;
  std::vector<double> memory_;
  std::map<std::pair<int, int>, std::vector<MPI_Request>> sends_;  // (lane, slot)
  std::vector<MPI_Request> receives_;
};

}  // namespace

std::unique_ptr<Transport> make_two_sided(const Ranks& ranks, const Definition& definition,
                                          std::vector<SlotMap> maps) {
  return std::make_unique<TwoSided>(ranks, definition, std::move(maps));
}

}  // namespace thalweg
