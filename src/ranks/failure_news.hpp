// SPDX-License-Identifier: Apache-2.0
// Failures travel as messages: nobody need be asked, so a rank that has left is heard too.
#pragma once

#include <mpi.h>

#include <map>
#include <optional>
#include <string>

#include "ranks/outbox.hpp"
#include "ranks/ranks.hpp"
#include "thalweg/error.hpp"

namespace thalweg {

/// Of the two kinds: "I failed, let us end together" and "I am gone".
struct NewsTags {
  int error, leave;
};

/// What a rank knows of the failures of all ranks of its output.
class FailureNews {
 public:
  FailureNews(const Ranks& ranks, NewsTags tags)
      : ranks_(ranks), tags_(tags), outbox_(ranks.control) {}

  /// Something failed on this rank, which goes on taking part until all compute ranks agree on the
  /// end: tells the other compute ranks.
  void tell(const Error& error);
  /// Waits until what was told has left.
  void drain() { outbox_.drain("other ranks to hear of a failure"); }
  /// This rank takes no part any more. `all_know`: the other compute ranks need not be told.
  void leave(const Error& error, bool all_know);

  bool is_news(const MPI_Status& status) const;
  void receive(const MPI_Status& status);
  /// Receives what is there.
  void look();

  /// Throws the failure of a rank that takes no part any more: nothing collective can end.
  void throw_if_left() const;
  const std::optional<Error>& left() const { return left_; }
  bool over() const { return gone_ || left_; }  ///< this rank or another one has left
  /// The number of the failure to be told, of those known of ranks that go on: the lowest rank's,
  /// if any of those that do not follow from another's; or none().
  int first() const;
  int none() const { return 2 * all_ranks(); }
  /// The failure of this number; nothing if it is not here yet.
  std::optional<Error> of(int number) const;

 private:
  int all_ranks() const { return ranks_.compute_ranks + ranks_.io_ranks; }

  Ranks ranks_;
  NewsTags tags_;
  Outbox outbox_;
  std::map<int, Error> failures_;  // [rank of control]
  std::optional<Error> left_;
  bool gone_ = false;
};

}  // namespace thalweg
