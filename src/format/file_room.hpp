// SPDX-License-Identifier: Apache-2.0
// The room behind the end of a growing file, of which every writer takes what it needs.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>

namespace thalweg {

/// Knows where a file ends, and moves that end on. Of one file at a time.
class FileRoom {
 public:
  virtual ~FileRoom() = default;
  /// Head, before anybody takes: the file ends here.
  virtual void begin_at(std::uint64_t end) = 0;
  /// `bytes` at the end, for this rank alone; returns where they begin.
  virtual std::uint64_t take(std::uint64_t bytes) = 0;
};

/// Of a file that one rank extends.
class OwnRoom final : public FileRoom {
 public:
  void begin_at(std::uint64_t end) override { end_ = end; }
  std::uint64_t take(std::uint64_t bytes) override {
    end_ += bytes;
    return end_ - bytes;
  }

 private:
  std::uint64_t end_ = 0;
};

/// Of a file that a team extends: the end is a number in a window on the head (rank 0), which the
/// others move on without its help. Collective, so is its end; null on every rank if one cannot
/// have the window. take() throws Error(bug) if the head cannot be reached within [io] timeout.
std::unique_ptr<FileRoom> make_team_room(MPI_Comm team);

}  // namespace thalweg
