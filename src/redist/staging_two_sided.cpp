// SPDX-License-Identifier: Apache-2.0
// Way two_sided: a source sends what it offers, a taker receives it. Works everywhere.
#include <algorithm>
#include <map>
#include <vector>

#include "redist/staging_ways.hpp"
#include "thalweg/wait.hpp"

namespace thalweg {

namespace {

class TwoSided final : public StagingWay {
 public:
  explicit TwoSided(MPI_Comm comm) : comm_(comm) {}
  ~TwoSided() override {
    // Only after a failure is anything left: nobody will answer it any more.
    for (auto& request : receives_) {
      if (request != MPI_REQUEST_NULL) MPI_Cancel(&request), MPI_Request_free(&request);
    }
    for (auto& [tag, requests] : sends_) {
      for (auto& request : requests) {
        if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
      }
    }
  }

  const char* name() const override { return "two_sided"; }
  bool sends() const override { return true; }

  void offer(int taker, int tag, const std::byte* from, std::int64_t bytes) override {
    auto& requests = sends_[tag];
    for (std::int64_t done = 0; done < bytes; done += message_bytes) {
      const auto size = static_cast<int>(std::min(message_bytes, bytes - done));
      requests.push_back(MPI_REQUEST_NULL);
      MPI_Isend(from + done, size, MPI_BYTE, taker, tag, comm_, &requests.back());
    }
  }

  void reclaim(int tag) override {
    const auto found = sends_.find(tag);
    if (found == sends_.end()) return;
    wait_all(found->second, "the last bytes of taken output to leave");
    sends_.erase(found);
  }

  // Messages of one source and one tag do not overtake each other: pieces and offers stay in order.
  const std::byte* fetch(int source, int tag, std::int64_t, std::int64_t bytes,
                         std::byte* into) override {
    for (std::int64_t done = 0; done < bytes; done += message_bytes) {
      const auto size = static_cast<int>(std::min(message_bytes, bytes - done));
      receives_.push_back(MPI_REQUEST_NULL);
      MPI_Irecv(into + done, size, MPI_BYTE, source, tag, comm_, &receives_.back());
    }
    return into;
  }

  void fetch_all() override {
    wait_all(receives_, "offered output to arrive");
    receives_.clear();
  }

 private:
  MPI_Comm comm_;
  std::map<int, std::vector<MPI_Request>> sends_;  // [tag]
  std::vector<MPI_Request> receives_;
};

}  // namespace

std::unique_ptr<StagingWay> make_two_sided_way(MPI_Comm comm) {
  return std::make_unique<TwoSided>(comm);
}

}  // namespace thalweg
