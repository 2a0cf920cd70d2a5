// SPDX-License-Identifier: Apache-2.0
// Times of messages among the ranks of a team: halo exchange with neighbours, gather to one rank.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/page_bytes.hpp"
#include "team.hpp"
#include "thalweg/decomposition.hpp"

namespace thalweg::bench {

/// One piece of work between ranks, in two sizes that tell latency from bandwidth.
class MessageTimer {
 public:
  explicit MessageTimer(const Team& team) : team_(team) {}
  virtual ~MessageTimer() = default;
  MessageTimer(const MessageTimer&) = delete;
  MessageTimer& operator=(const MessageTimer&) = delete;

  /// Collective over the world: the time of one, the mean of many in a row, whose values were found
  /// right afterwards.
  Sample time();
  const Team& team() const { return team_; }
  /// What crosses the busiest rank in one, bytes; the same on every rank once timed.
  std::int64_t bytes() const { return bytes_; }

 protected:
  virtual void work() = 0;  ///< once, on a rank of the team
  /// Spoils what work() brings, works once and throws Error(bug) if it does not bring it again.
  virtual void check() = 0;
  const Team& team_;
  std::int64_t bytes_ = 0;

 private:
  int repeats_ = 0;  ///< of work() in a sample; 0 = not known yet
};

/// The library's halo exchange of one field on cells, with the mesh of a grid that gives each rank
/// some thousand of them.
class ExchangeTimer final : public MessageTimer {
 public:
  ExchangeTimer(const Team& team, int levels);

 private:
  void work() override;
  void check() override;
  int levels_;
  Mesh mesh_;
  std::unique_ptr<HaloExchange> exchange_;
  std::vector<double> values_;  // [cell][level], halo too
};

/// As many bytes of every rank to the team's first one, as in serial output.
class GatherTimer final : public MessageTimer {
 public:
  GatherTimer(const Team& team, std::int64_t bytes_of_rank);

 private:
  void work() override;
  void check() override;
  std::int64_t bytes_of_rank_;
  PageBytes mine_, all_;  // all_: [rank][byte], on the first
};

}  // namespace thalweg::bench
