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

namespace thalweg {

/// Collective calls are made by every rank of the team, also by one that failed: it says so, and
/// all of them give the file up together, so that nobody waits for it.
class TeamFile {
 public:
  /// Collective. Throws the head's Error on every rank if the file cannot be created. `well` is
  /// false on a rank that failed before. `room`: of the team, for one file at a time; or null.
  TeamFile(const ContainerInfo& kind, FileDescription description, MPI_Comm team, FileRoom* room,
           bool well);

  const FileDescription& description() const { return description_; }
  /// How much put() likes to get at once, bytes.
  std::int64_t slab_bytes() const {
    return container_ ? container_->slab_bytes() : written_slab_bytes;
  }
  /// Not collective; errors are thrown here and told to the others at the next collective call.
  void put(const Piece& piece, int time_index, const void* values);
  /// Collective, after the last put of a time; `well` is false on a rank that failed since the last
  /// call. Throws on every rank if one failed.
  void finish_time(int time_index, bool well);
  /// Collective: the time was dropped by backpressure.
  void drop(int time_index, bool well);
  /// Collective: completes the file under its final name, or leaves it aside if a rank failed.
  void close(bool well);
  void abandon() noexcept;
  /// Abandons a file without values, and removes it.
  void discard() noexcept;

 private:
  [[noreturn]] void give_up();

  const ContainerInfo* kind_;
  FileDescription description_;
  MPI_Comm team_;
  bool head_ = true;
  std::unique_ptr<Container> container_;  // null once given up
  std::optional<Error> not_joined_;       // why this rank has none
};

}  // namespace thalweg
