// SPDX-License-Identifier: Apache-2.0
// One file that a team of writers makes together: who creates it, who completes it, and what
// happens to it when one of them fails.
#pragma once

#include <mpi.h>

#include <memory>
#include <optional>
#include <string>

#include "format/container.hpp"
#include "thalweg/error.hpp"
#include "thalweg/model_time.hpp"

namespace thalweg {

/// Collective calls are made by every rank of the team, also by one that failed: it says so, and
/// all of them give the file up together, so that nobody waits for it.
class TeamFile {
 public:
  /// Collective. Throws the head's Error on every rank if the file cannot be created. `well` is
  /// false on a rank that failed before. `room`: of the team, for one file at a time; or null.
  TeamFile(const ContainerInfo& kind, FileDescription description, MPI_Comm team, FileRoom* room,
           bool well);

  /// As it was given; after close() as the file is: with the times that were written.
  const FileDescription& description() const { return description_; }
  /// This rank's end of it, for put() at time number times(). Throws why there is none; the others
  /// are told at the next collective call.
  Container& container();
  /// Collective, after the last put of a time; `well` is false on a rank that failed since the last
  /// call. Throws on every rank if one failed.
  void finish_time(bool well);
  /// On every rank, before the first put of a time: it goes behind those that were written.
  void begin_time(int step, ModelTime time);
  /// The time was dropped by backpressure: the file tells so, and has no such time.
  void drop(int step, ModelTime time);
  /// Head: do kept values lie elsewhere than the journal says?
  bool has_moved() const {
    return container_ && !description_.kept.empty() && container_->description().kept.empty();
  }
  /// Before close(): no time follows.
  void end_times();
  /// Head, after that: will completing the file move its values? Throws if it cannot be told.
  bool will_move() const { return times_ > 0 && container_ && container_->moves_at_close(); }
  /// Head, after close(): did completing the file move its values?
  bool moved_at_close() const { return moves_at_close_; }
  /// Times that were written whole, and the index of the next one.
  int times() const { return times_; }
  /// Before it is closed: are there as many as the file has room for?
  bool is_full() const { return times_ == static_cast<int>(description_.steps.size()); }
  /// Of this rank, after finish_time: what the journal keeps of it.
  std::string place_of(int time_index);
  /// Collective: completes the file under its final name with the times that were written, or
  /// leaves it aside if a rank failed. A file without times is removed.
  void close(bool well);
  void abandon() noexcept;
  /// Abandons a file without values, and removes it.
  void discard() noexcept;

 private:
  [[noreturn]] void give_up();

  const ContainerInfo* kind_;
  FileDescription description_;
  MPI_Comm team_;
  bool head_ = true, moves_at_close_ = false;
  int times_ = 0;
  std::unique_ptr<Container> container_;  // null once given up
  std::optional<Error> not_joined_;       // why this rank has none
};

}  // namespace thalweg
