// SPDX-License-Identifier: Apache-2.0
// Who hears what; nobody is asked.
#include "ranks/failure_news.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace thalweg {

void FailureNews::tell(const Error& error) {
  if (!failures_.try_emplace(ranks_.rank, error).second) return;  // the first one counts
  const auto said =
      ranks_.is_compute()
          ? error
          : Error(error.blame(), fmt::format("{}: {}", ranks_.name_of(ranks_.rank), error.what()),
                  error.follows());
  for (int rank = 0; rank < ranks_.compute_ranks; ++rank) {
    if (rank != ranks_.rank) outbox_.post_text(rank, tags_.error, encode_error(said));
  }
}

void FailureNews::leave(const Error& error, bool all_know) {
  gone_ = true;
  const auto said =
      all_know || left_
          ? encode_error(error)
          : encode_error(Error(error.blame(),
                               fmt::format("{}: {}", ranks_.name_of(ranks_.rank), error.what())));
  for (int rank = all_know || left_ ? ranks_.compute_ranks : 0; rank < all_ranks(); ++rank) {
    if (rank != ranks_.rank) outbox_.post_text(rank, tags_.leave, said);
  }
}

bool FailureNews::is_news(const MPI_Status& status) const {
  return status.MPI_TAG == tags_.error || status.MPI_TAG == tags_.leave;
}

void FailureNews::receive(const MPI_Status& status) {
  const auto error = decode_error(take_text(status, ranks_.control));
  if (status.MPI_TAG == tags_.error) failures_.try_emplace(status.MPI_SOURCE, error);
  if (status.MPI_TAG == tags_.leave && !left_) left_ = error;
}

void FailureNews::look() {
  for (const int tag : {tags_.error, tags_.leave}) {
    for (int there = 1; there != 0;) {
      MPI_Status status;
      MPI_Iprobe(MPI_ANY_SOURCE, tag, ranks_.control, &there, &status);
      if (there != 0) receive(status);
    }
  }
}

void FailureNews::throw_if_left() const {
  if (left_) throw Error(*left_);
}

int FailureNews::first() const {
  int first = none();
  for (const auto& [rank, error] : failures_)
    first = std::min(first, rank + (error.follows() ? all_ranks() : 0));
  return first;
}

std::optional<Error> FailureNews::of(int number) const {
  const auto found = failures_.find(number % all_ranks());
  return found == failures_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace thalweg
